#include "engine/workers/function_logs.h"

#include <algorithm>
#include <deque>
#include <set>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/uuid.h"
#include "engine/targets/internal_call.h"
#include "store/store.h"
#include "wire/registry.h"
#include "wire/shapes/logs.h"

namespace tidemill::engine {
namespace {

namespace shapes = wire::logs;
namespace ops = shapes::ops;

// Below the limits of one PutLogEvents, of which each event takes 26 bytes.
constexpr size_t kBatchEventsMax = 10'000;
constexpr size_t kBatchBytesMax = 1'000'000;
constexpr size_t kEventOverheadBytes = 26;

size_t bytes_of(const std::string& message) { return message.size() + kEventOverheadBytes; }

}  // namespace

struct FunctionLogs::Stream::State {
  std::shared_ptr<Core> core;
  Name name;
  std::deque<shapes::InputLogEvent> pending;
  int64_t last_time = 0;
  uint64_t dropped = 0;
  bool is_sending = false;  // or about to
  base::Alarm alarm;
  base::Activity::Hold activity;
};

struct FunctionLogs::Core : std::enable_shared_from_this<Core> {
  using State = Stream::State;

  Core(base::Executor& on, wire::Platform& with)
      : executor(on),
        platform(with),
        dropped_lines(platform.metrics.counter("tidemill_function_log_lines_dropped_total",
                                               "Lines of functions that could not be kept")) {}

  void append(const std::shared_ptr<State>& state, std::string_view text) {
    std::string message = base::to_utf8(text);  // three times as long where it is none
    if (pending_bytes + bytes_of(message) > kPendingBytesMax) {
      ++state->dropped;
      dropped_lines.add();
    } else {
      add_event(*state, std::move(message));
    }
    if (!state->is_sending) send_soon(state);
  }

  void add_event(State& state, std::string message) {
    const int64_t now =
        std::chrono::floor<std::chrono::milliseconds>(platform.clock.now().time_since_epoch()).count();
    state.last_time = std::max(state.last_time, now);
    pending_bytes += bytes_of(message);
    state.pending.push_back({.timestamp = state.last_time, .message = std::move(message)});
  }

  void send_soon(const std::shared_ptr<State>& state) {
    state->is_sending = true;
    state->activity = platform.clock.activity().hold();
    active.insert(state);
    state->alarm = executor.call_after(kGatherTime, [weak = weak_from_this(), weak_state = std::weak_ptr(state)] {
      const auto self = weak.lock();
      const auto due = weak_state.lock();
      if (self && due) self->scope.spawn(send(self.get(), due));
    });
  }

  static Task<void> send(Core* self, std::shared_ptr<State> state) {
    while (!state->pending.empty() || state->dropped > 0) {
      shapes::PutLogEventsInput request;
      request.log_group_name = state->name.group;
      request.log_stream_name = state->name.stream;
      request.log_events = self->take_batch(*state);
      co_await self->put(*state, request);
    }
    state->is_sending = false;
    state->activity = {};
    self->active.erase(state);
  }

  std::vector<shapes::InputLogEvent> take_batch(State& state) {
    if (state.pending.empty()) tell_dropped(state);
    std::vector<shapes::InputLogEvent> batch;
    size_t bytes = 0;
    while (!state.pending.empty() && batch.size() < kBatchEventsMax) {
      const size_t more = bytes_of(state.pending.front().message);
      if (!batch.empty() && bytes + more > kBatchBytesMax) break;
      bytes += more;
      batch.push_back(std::move(state.pending.front()));
      state.pending.pop_front();
    }
    pending_bytes -= bytes;
    if (state.pending.empty()) tell_dropped(state);
    return batch;
  }

  // Behind all that came before.
  void tell_dropped(State& state) {
    const uint64_t dropped = std::exchange(state.dropped, 0);
    if (dropped == 0) return;
    base::log_warning("function_log_dropped", {{"log_group", state.name.group}, {"lines", std::to_string(dropped)}});
    add_event(state, base::cat("[tidemill] ", dropped,
                               " lines were dropped: they came faster than they could be stored\n"));
  }

  // What cannot be stored is dropped: there is nobody to be told but the server's log.
  Task<void> put(const State& state, const shapes::PutLogEventsInput& request) {
    std::string problem;
    try {
      wire::Context context(platform, state.name.account, state.name.region, base::new_uuid(),
                            wire::Principal::platform());
      if (co_await try_put(context, request)) co_return;
      co_await make_stream(context, state.name);
      if (co_await try_put(context, request)) co_return;
      problem = "the stream is not there";
    } catch (const wire::Error& error) {
      problem = error.code + ": " + error.message;
    } catch (const std::exception& error) {
      problem = error.what();
    }
    dropped_lines.add(request.log_events.size());
    base::log_warning("function_log_lost", {{"log_group", state.name.group},
                                            {"lines", std::to_string(request.log_events.size())},
                                            {"reason", problem}});
  }

  // False: there is no such group or stream.
  Task<bool> try_put(wire::Context& context, const shapes::PutLogEventsInput& request) {
    try {
      co_await platform.registry.call<ops::PutLogEvents>(context, request);
      co_return true;
    } catch (const wire::Error& error) {
      if (error.code != "ResourceNotFoundException") throw;
    }
    co_return false;
  }

  Task<void> make_stream(wire::Context& context, const Name& name) {
    try {
      co_await platform.registry.call<ops::CreateLogGroup>(context, {.log_group_name = name.group});
    } catch (const wire::Error& error) {
      if (error.code != "ResourceAlreadyExistsException") throw;
    }
    try {
      co_await platform.registry.call<ops::CreateLogStream>(
          context, {.log_group_name = name.group, .log_stream_name = name.stream});
    } catch (const wire::Error& error) {
      if (error.code != "ResourceAlreadyExistsException") throw;
    }
  }

  base::Executor& executor;
  wire::Platform& platform;
  base::Counter& dropped_lines;
  size_t pending_bytes = 0;
  std::set<std::shared_ptr<State>> active;  // with lines on their way
  base::Scope scope;
};

FunctionLogs::FunctionLogs(base::Executor& executor, wire::Platform& platform)
    : core_(std::make_shared<Core>(executor, platform)) {}

FunctionLogs::~FunctionLogs() {
  core_->scope.clear();
  core_->active.clear();
}

std::unique_ptr<FunctionLogs::Stream> FunctionLogs::open(Name name) {
  return std::make_unique<Stream>(core_, std::move(name));
}

FunctionLogs::Stream::Stream(std::shared_ptr<Core> core, Name name)
    : state_(std::make_shared<State>(State{.core = std::move(core), .name = std::move(name)})) {}

FunctionLogs::Stream::~Stream() = default;

void FunctionLogs::Stream::line(std::string_view text) {
  if (!text.empty()) state_->core->append(state_, text);
}

}  // namespace tidemill::engine
