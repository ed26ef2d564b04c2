#include "engine/workers/worker.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <mutex>
#include <random>
#include <system_error>

#include "base/log.h"
#include "base/text.h"
#include "base/wants.h"
#include "engine/workers/worker_environment.h"
#include "engine/workers/worker_errors.h"
#include "engine/workers/worker_memory.h"
#include "engine/workers/worker_records.h"

namespace tidemill::engine {
using base::cat;
namespace {

using namespace std::chrono_literals;

constexpr uint64_t kMegabyte = 1 << 20;
// Of the looks at a function's memory, which come every 25 ms: those that see all its processes.
constexpr uint64_t kWholeLookEvery = 8;
// So many are looked at without delay when an invocation ends.
constexpr size_t kFewProcesses = 4;
// Of those looks: those at what it has written.
constexpr uint64_t kDiskLookEvery = 20;
// Between two close looks at one, which cost more.
constexpr auto kCloseLookInterval = 200ms;
constexpr size_t kTrailersBytesMax = 256 << 10;
// Rounds of the loop that a dead process's last words get to arrive in.
constexpr int kLastWordsRounds = 4;
constexpr int kLastBodyRoundsMax = 4096;

// How a shell's start of a program ends that is not there, or that is none.
constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;

constexpr std::string_view kTimedOut = "Sandbox.Timedout";

// What functions measure their time by is the machine's clock, whatever the platform's says.
base::Time machine_time() { return base::RealClock().now(); }

// A group that others may write to has the function's name in its streams' names.
std::string log_stream_name(base::Time now, const FunctionSpec& spec) {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) id += base::hex(random(), 8);
  std::string date = base::iso_milliseconds(now).substr(0, 10);
  std::ranges::replace(date, '-', '/');
  return cat(date, "/", spec.shares_log_group ? spec.name : "", "[", spec.version, "]", id);
}

Init init_of(const Worker::Setup& setup) {
  return {.is_provisioned = setup.is_provisioned, .is_again = setup.starts_again};
}

double milliseconds(base::Duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

// What a log of text says of a call that failed so.
std::string error_lines(std::string_view request_id, std::string_view error_type, std::string_view message) {
  return cat("RequestId: ", request_id, " Error: ", message, "\n", error_type, "\n");
}
std::string timeout_lines(base::Time now, std::string_view request_id, std::string_view message) {
  return cat(base::iso_milliseconds(now), "Z ", request_id, " ", message, "\n\n");
}

bool is_for_want_of_resources(const std::exception& error) {
  const auto* of_system = dynamic_cast<const std::system_error*>(&error);
  if (of_system) return base::is_want_of_resources(of_system->code());
  const auto* of_listening = dynamic_cast<const net::ListenError*>(&error);
  return of_listening && base::is_want_of_resources(of_listening->reason);
}

}  // namespace

Worker::Worker(net::Loop& loop, base::BlockingWork& disk, base::BlockingWork& looks, ScratchRemoval& removal, Owner& owner,
               Setup setup)
    : loop_(loop), disk_(disk), looks_(looks), removal_(removal), owner_(owner), setup_(std::move(setup)),
      output_(setup_.spec->name) {}

Worker::~Worker() = default;

// ---- The life of the process ----------------------------------------------------------------------------------------

void Worker::start(base::Scope& scope) {
  started_ = machine_time();
  try {
    std::filesystem::create_directories(setup_.temporary);
    if (setup_.launch.name.language == Language::nodejs && !setup_.sandbox) HostRuntimes::link_node_modules(setup_.launch, spec().code);
    // A function may take its time over an invocation and ask again on the same connection.
    net::ServerLimits limits;
    limits.keep_alive_timeout = 24h;
    // Nor need an answer that streams come at any pace; its trailers may have an error with its stack.
    limits.body_idle_timeout = 24h;
    limits.body_bytes_per_second_min = 0;
    limits.chunk_head_bytes_max = kTrailersBytesMax;
    limits.requests_are_activity = false;
    limits.connections_max = kRuntimeConnectionsMax;
    net::Loop* const loops[] = {&loop_};
    server_ = std::make_unique<net::HttpServer>(
        loops, "127.0.0.1", 0, limits,
        [weak = weak_from_this()](net::Request& request) { return serve(weak, request); },
        [weak = weak_from_this()](const std::string& peer, net::Decide decide) {
          if (const auto self = weak.lock()) self->judge(peer, std::move(decide));
          else decide(false);
        });
    const base::Time now = setup_.clock->now();
    WorkerPlace place{server_->port(), setup_.temporary, log_stream_name(now, spec()), setup_.endpoint, setup_.is_provisioned};
    place.sandbox = setup_.sandbox;
    if (setup_.tells_time) place.time = now;
    if (setup_.keys) place.credentials = setup_.keys->make({spec().account, spec().role_arn, spec().name});
    if (setup_.logs) {
      output_.write_to(setup_.logs->open({spec().account, spec().region, spec().log_group, place.log_stream}));
      for (const std::string& line : init_lines(spec(), now, init_of(setup_))) output_.stream_line(line);
    }
    if (!setup_.launch.interpreter && !std::filesystem::is_regular_file(spec().code / "bootstrap")) {
      throw std::runtime_error("Couldn't find valid bootstrap(s): [" + (spec().code / "bootstrap").string() + "]");
    }
    net::ProcessSpec process = worker_process(spec(), setup_.launch, place);
    if (setup_.sandbox && setup_.sandbox->groups()) be_held(process);
    process_ = std::make_unique<net::Process>(loop_, process,
                                              [weak = weak_from_this()](std::string_view bytes) {
                                                if (auto self = weak.lock()) self->output_.append(bytes);
                                              });
  } catch (const std::exception& error) {
    StartFailure failure = not_started(error.what(), is_for_want_of_resources(error));
    loop_.post([self = shared_from_this(), failure = std::move(failure)]() mutable {
      if (self->state_ == State::closed) return;
      self->fail_start(std::move(failure));
      self->state_ = State::ending;
      self->owner_.on_ended(*self);
    });
    return;
  }
  alarm_ = loop_.call_after(setup_.start_limit, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->start_timed_out();
  });
  scope.spawn(watch(shared_from_this()));
}

Task<void> Worker::watch(std::shared_ptr<Worker> self) {
  const net::ExitStatus status = co_await self->process_->exited();
  self->take_no_more();
  // What it wrote and posted before it ended is still on its way through the loop.
  for (int round = 0; round < kLastWordsRounds; ++round) co_await base::yield();
  for (int round = 0; self->bodies_being_read_ > 0 && round < kLastBodyRoundsMax; ++round) co_await base::yield();
  self->exited(status);
}

// What lies in /tmp is in memory as well. The processors' time comes with memory, as on AWS; an environment may use one
// processor whole, however little memory it has, as it would be no use to wait for.
void Worker::be_held(net::ProcessSpec& process) {
  constexpr uint64_t kBesidesMegabytes = 32;  // of bubblewrap, and of what the kernel keeps for processes
  constexpr uint64_t kProcessorMegabytes = 1769;  // AWS: "the equivalent of one vCPU"
  constexpr uint64_t kPercent = 100;
  const auto memory_mb = static_cast<uint64_t>(spec().memory_mb);
  const uint64_t all_mb = memory_mb + static_cast<uint64_t>(spec().ephemeral_storage_mb) + kBesidesMegabytes;
  group_ = setup_.sandbox->groups()->make(
      setup_.temporary.filename().string(),
      {.memory_bytes = all_mb * kMegabyte,
       .cpu_percent = std::max(kPercent, memory_mb * kPercent / kProcessorMegabytes),
       .weight = std::max<uint64_t>(1, memory_mb * kPercent / kProcessorMegabytes)});
  process.groups = {group_->door()};
}

// The port of a runtime API can be found by anybody on the machine; what is behind it is for the worker's own
// processes. A function may have so many, with so many files, that a look at them takes seconds: not on the loop.
void Worker::judge(const std::string& peer, net::Decide decide) {
  if (!process_) return decide(false);  // it could not be started
  looks_.post([weak = weak_from_this(), &loop = loop_, root = process_->pid(), port = server_->port(), peer,
               decide = std::move(decide)] {
    const std::optional<bool> own = is_held_below(root, peer, port);
    loop.post([weak, own, peer, decide] {
      const auto self = weak.lock();
      decide(self && self->is_own(own, peer));
    });
  });
}

bool Worker::is_own(std::optional<bool> own, const std::string& peer) {
  if (!own) {
    static std::once_flag told;
    std::call_once(told, [] { base::log_warning("this system does not tell whose connections they are", {}); });
  } else if (!*own) {
    refused_.warn({{"function", spec().name}}, {{"peer", peer}});
  }
  return own.value_or(true);
}

void Worker::exited(net::ExitStatus status) {
  if (state_ == State::closed) return;
  output_.flush();
  // AWS starts it by a shell, which says so.
  if (state_ == State::starting && status.start_error != 0 && !wrapper_of(spec(), setup_.launch).empty()) {
    status = {.code = status.start_error == ENOENT || status.start_error == ENOTDIR ? kNotFound : kNotExecutable};
  }
  if (state_ == State::starting && status.start_error != 0) {
    const std::error_code reason(status.start_error, std::generic_category());
    fail_start(not_started(cat("cannot start ", command_of(spec(), setup_.launch), ": ", reason.message()),
                           base::is_want_of_resources(reason)));
  }
  if (state_ == State::starting) fail_start({.error_type = exit_error(), .message = exit_message(status)});
  if (call_ && result_) finish();
  if (call_) {
    const std::string message = exit_message(status);
    const std::string error = exit_error();
    fail_call(error, message, error_lines(call_->invocation.request_id, error, message));
  }
  state_ = State::ending;
  owner_.on_ended(*this);
}

// What it took beside its memory the kernel counts as well where it holds it (be_held).
std::string Worker::exit_error() {
  is_out_of_memory_ = is_out_of_memory_ || (group_ && group_->ran_out_of_memory());
  if (!is_out_of_memory_) return "Runtime.ExitError";
  memory_peak_ = memory_max();
  return "Runtime.OutOfMemory";
}

void Worker::end() {
  take_no_more();
  if (process_) process_->kill();
}

// Between this and the end of the process, and all that it still says, there is time for another call to come.
void Worker::take_no_more() {
  if (state_ == State::ending || state_ == State::closed) return;
  ends_ = true;
  if (state_ != State::idle) return;
  state_ = State::ending;
  owner_.on_unusable(*this);
}

void Worker::close() {
  state_ = State::closed;
  alarm_.cancel();
  process_.reset();
  server_.reset();
  // Its group goes last: its processes are still ending.
  removal_.remove(setup_.temporary, [group = std::move(group_)]() mutable { group.reset(); });
}

void Worker::start_timed_out() {
  if (state_ != State::starting) return;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(setup_.start_limit);
  fail_start({.timed_out = true, .error_type = std::string(kTimedOut), .message = timeout_message(seconds)});
  end();
}

// The package's fault if the program is its own.
StartFailure Worker::not_started(std::string message, bool for_want_of_resources) const {
  StartFailure failure;
  failure.error_type = "Runtime.InvalidEntrypoint";
  failure.message = std::move(message);
  // It is not the function's fault, and may be otherwise soon.
  if (for_want_of_resources) failure.status = InvokeStatus::throttled;
  else if (setup_.launch.interpreter) failure.status = InvokeStatus::failed;
  return failure;
}

void Worker::fail_start(StartFailure failure) {
  if (state_ != State::starting) return;
  state_ = State::busy;  // no longer starting; exited() makes the rest
  take_no_more();
  report_failed_start(failure);
  // A runtime that has said what is wrong is to end by itself.
  alarm_ = loop_.call_after(spec().timeout, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->end();
  });
  owner_.on_start_failed(*this, std::move(failure));
}

// Of what was not its fault there is nothing to tell its owner.
void Worker::report_failed_start(const StartFailure& failure) {
  if (failure.status != InvokeStatus::function_error) return;
  output_.flush();
  using Status = InvocationReport::Status;
  InitReport report{.init = init_of(setup_), .duration_ms = milliseconds(machine_time() - started_)};
  report.status = failure.timed_out ? Status::timeout : Status::error;
  if (!failure.timed_out) report.error_type = platform_error_type(failure.error_type);
  print(init_report_lines(spec(), setup_.clock->now(), report));
}

void Worker::report_not_run(const WorkerCall& call, const StartFailure& failure) {
  if (!report_wanted(call)) return;
  const std::string& id = call.invocation.request_id;
  const base::Time now = setup_.clock->now();
  output_.begin(id);
  print(start_lines(spec(), now, id));
  using Status = InvocationReport::Status;
  InvocationReport report{.request_id = id, .duration_ms = milliseconds(machine_time() - started_)};
  report.status = failure.timed_out ? Status::timeout : Status::error;
  report.error_type = failure.timed_out ? kTimedOut : platform_error_type(failure.error_type);
  report.memory_used_mb = memory_peak_ / kMegabyte;
  if (failure.document.empty() && !spec().logging.is_json) {
    output_.platform_line(failure.timed_out ? timeout_lines(now, id, failure.message)
                                            : error_lines(id, failure.error_type, failure.message));
  }
  print(end_lines(spec(), now, report));
}

// A look at hundreds of processes takes long, so not on the loop.
void Worker::check_memory() {
  if (!call_ || !process_ || ends_ || is_looked_at_) return;
  is_looked_at_ = true;
  const Look look = looks_at_memory_++ % kWholeLookEvery == 0 ? Look::whole : Look::quick;
  const bool may_closely = machine_time() >= close_look_after_;
  if (looks_at_memory_ % kDiskLookEvery == 0) check_disk();
  looks_.post([weak = weak_from_this(), &loop = loop_, root = process_->pid(), look, may_closely, most = memory_max()] {
    uint64_t used = memory_at_most(root, look);
    const bool closely = used > most && may_closely;  // what could be too much
    if (used > most) used = closely ? memory_used(root) : most;
    loop.post([weak, used, closely] {
      if (const auto self = weak.lock()) self->memory_seen(used, closely);
    });
  });
}

void Worker::memory_seen(uint64_t used, bool closely) {
  is_looked_at_ = false;
  if (closely) close_look_after_ = machine_time() + kCloseLookInterval;
  if (!call_ || !process_ || ends_) return;
  memory_peak_ = std::max(memory_peak_, used);
  if (used <= memory_max()) return;
  base::log_warning("function_memory_exceeded", {{"function", spec().name},
                                                 {"limit_mb", std::to_string(spec().memory_mb)},
                                                 {"used_mb", std::to_string(used / kMegabyte)}});
  is_out_of_memory_ = true;
  end();
}

// A file that is too large the system refuses (RLIMIT_FSIZE); this is for many. In a sandbox there is no more room.
void Worker::check_disk() {
  if (setup_.sandbox || std::exchange(is_disk_looked_at_, true)) return;
  const uint64_t most = static_cast<uint64_t>(spec().ephemeral_storage_mb) * kMegabyte;
  disk_.post([weak = weak_from_this(), &loop = loop_, directory = setup_.temporary, most] {
    const uint64_t used = disk_used(directory);
    loop.post([weak, used, most] {
      const auto self = weak.lock();
      if (!self) return;
      self->is_disk_looked_at_ = false;
      if (used <= most || !self->process_ || self->ends_) return;
      base::log_warning("function_storage_exceeded",
                        {{"function", self->spec().name},
                         {"limit_mb", std::to_string(self->spec().ephemeral_storage_mb)},
                         {"used_mb", std::to_string(used / kMegabyte)}});
      self->end();
    });
  });
}

uint64_t Worker::memory_max() const { return static_cast<uint64_t>(spec().memory_mb) * kMegabyte; }

// ---- An invocation --------------------------------------------------------------------------------------------------

void Worker::dispatch(std::unique_ptr<WorkerCall> call) {
  state_ = State::busy;
  call_ = std::move(call);
  result_.reset();
  started_ = machine_time();
  output_.begin(call_->invocation.request_id);
  if (report_wanted(*call_)) print(start_lines(spec(), setup_.clock->now(), call_->invocation.request_id));
  alarm_ = loop_.call_after(spec().timeout, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->timed_out();
  });
  if (!parked_) return end();
  const base::Future<net::Response> waiting = std::move(*parked_);
  parked_.reset();
  waiting.set(invocation_response(*call_));
}

void Worker::timed_out() {
  if (call_ && !result_) {
    const std::string message = timeout_message(spec().timeout);
    fail_call(kTimedOut, message, timeout_lines(setup_.clock->now(), call_->invocation.request_id, message));
  } else if (parked_) {
    return;
  }
  end();
}

void Worker::fail_call(std::string_view error_type, std::string_view message, std::string_view log_line) {
  output_.flush();
  if (!spec().logging.is_json) output_.platform_line(log_line);  // else the records say it
  platform_error_ = error_type;
  InvocationResult result;
  result.status = InvokeStatus::function_error;
  result.function_error = "Unhandled";
  result.payload = error_document(error_type, call_->invocation.request_id, message);
  result.detail = std::string(message);
  result_ = std::move(result);
  finish();
}

// The reply may overtake what was printed before it: let the pipe be read first.
void Worker::finish_soon(InvocationResult result) {
  result_ = std::move(result);
  loop_.post([weak = weak_from_this(), id = call_->invocation.request_id] {
    const auto self = weak.lock();
    if (!self) return;
    self->loop_.post([weak, id] {
      if (const auto again = weak.lock(); again && again->call_ && again->call_->invocation.request_id == id) again->finish();
    });
  });
}

void Worker::finish() {
  // Otherwise, and of many processes, what was seen on the way is near enough.
  if ((call_->invocation.want_tail || memory_peak_ == 0) && process_ &&
      processes_below(process_->pid(), Look::quick, kFewProcesses).size() <= kFewProcesses) {
    memory_peak_ = std::max(memory_peak_, std::min(memory_at_most(process_->pid(), Look::quick), memory_max()));
  }
  report();
  if (call_->invocation.want_tail) result_->log_tail = output_.tail();
  std::unique_ptr<WorkerCall> call = std::move(call_);
  InvocationResult result = std::move(*result_);
  result_.reset();
  // A process that does not ask again is of no use: its time runs on from the reply.
  alarm_ = parked_ ? base::Alarm() : loop_.call_after(spec().timeout, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->timed_out();
  });
  owner_.on_call_done(*this, std::move(call), std::move(result));
  if (parked_ && state_ == State::busy) become_idle();
}

// Without a stream the platform's own lines are seen in a tail and at level debug only.
bool Worker::report_wanted(const WorkerCall& call) const {
  return output_.has_stream() || call.invocation.want_tail || base::log_enabled(base::Level::debug);
}

void Worker::report() {
  const std::string error = std::exchange(platform_error_, {});
  const auto start_duration = std::exchange(start_duration_, std::nullopt);
  if (!report_wanted(*call_)) return;
  InvocationReport report{.request_id = call_->invocation.request_id,
                          .status = InvocationReport::Status::success,
                          .error_type = error,
                          .duration_ms = milliseconds(machine_time() - started_),
                          .memory_used_mb = std::min(memory_peak_, memory_max()) / kMegabyte};
  if (start_duration) report.init_duration_ms = milliseconds(*start_duration);
  if (error == kTimedOut) report.status = InvocationReport::Status::timeout;
  else if (result_->status != InvokeStatus::ok) report.status = InvocationReport::Status::error;
  print(end_lines(spec(), setup_.clock->now(), report));
}

void Worker::print(const std::vector<std::string>& platform_lines) {
  for (const std::string& line : platform_lines) output_.platform_line(line);
}

void Worker::become_idle() {
  if (ends_) return;
  state_ = State::idle;
  owner_.on_idle(*this);
}

}  // namespace tidemill::engine
