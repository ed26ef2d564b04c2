#include "engine/workers/workers.h"

#include <algorithm>
#include <deque>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "engine/workers/place_lines.h"
#include "engine/workers/worker.h"
#include "engine/workers/worker_errors.h"
#include "engine/workers/worker_leftovers.h"
#include "engine/workers/worker_runtimes.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;

// Processes that start at the same time, of all functions and of one: more only delay each other.
const int kStartsMax = std::max(8, 4 * static_cast<int>(std::thread::hardware_concurrency()));
const size_t kStartsOfOneMax = static_cast<size_t>(kStartsMax) / 2;
// Idle processes kept, of all functions; beyond, the one that was used longest ago ends.
constexpr size_t kIdleWorkersMax = 128;
// AWS's limit for the start of a runtime. A start that takes longer is repeated once, within the function's timeout.
constexpr auto kStartLimit = 10s;
constexpr int kStartAttempts = 2;
// Between two looks at the memory of busy processes.
constexpr auto kMemoryInterval = 25ms;

constexpr wire::PlatformMetric kInvocations{"AWS/Lambda", "Invocations", "Count", "FunctionName"};
constexpr wire::PlatformMetric kErrors{"AWS/Lambda", "Errors", "Count", "FunctionName"};
constexpr wire::PlatformMetric kThrottles{"AWS/Lambda", "Throttles", "Count", "FunctionName"};
constexpr wire::PlatformMetric kDuration{"AWS/Lambda", "Duration", "Milliseconds", "FunctionName"};
constexpr wire::PlatformMetric kConcurrentExecutions{"AWS/Lambda", "ConcurrentExecutions", "Count", "FunctionName"};

// The processes of one revision of a function, and the calls that wait for one of them.
struct Group {
  std::shared_ptr<const FunctionSpec> spec;
  std::deque<std::unique_ptr<WorkerCall>> waiters;
  std::vector<Worker*> idle;  // the last used at the end
  size_t starting = 0;
  bool retired = false;
  bool warned_of_substitute = false;
};

struct Member {
  std::shared_ptr<Worker> worker;
  std::shared_ptr<Group> group;
  bool starting = true;
  base::Time idle_since{};  // the machine's time
};

std::string key_of(const FunctionSpec& spec) { return spec.arn + ":" + spec.version; }

// How long nobody in line is called after a process could not be started for want of something.
constexpr std::chrono::seconds kNoRoomPause{1};

}  // namespace

struct Workers::Impl : Worker::Owner, std::enable_shared_from_this<Workers::Impl> {
  Impl(net::Loop& on, base::Clock& time, base::Metrics& metrics, WorkersOptions settings)
      : loop(on),
        clock(time),
        options(std::move(settings)),
        runtimes(options.search_path, options.strict_runtimes),
        invocations(metrics.counter("tidemill_function_invocations_total", "Invocations that reached a function")),
        errors(metrics.counter("tidemill_function_errors_total", "Invocations that ended with a function error")),
        throttles(metrics.counter("tidemill_function_throttles_total", "Invocations refused for want of concurrency")),
        starts(metrics.counter("tidemill_function_starts_total", "Worker processes started")) {
    lines = std::make_shared<PlaceLines>(loop, [this](const FunctionSpec& spec) { return free_in_line(spec); });
    runtimes.install(options.runtimes);
    end_leftover_workers(options.scratch);
    std::filesystem::remove_all(options.scratch);
    std::filesystem::create_directories(options.scratch);
    metrics.gauge("tidemill_function_workers", "Worker processes alive", "",
                  [count = alive] { return static_cast<double>(count->load()); });
  }

  ~Impl() override {
    lines->close();
    scope.clear();
    for (auto& [worker, member] : members) member.worker->close();
  }

  // ---- Calls ----

  void submit(std::unique_ptr<WorkerCall> call) {
    const PlaceTurnPtr turn = std::move(call->invocation.turn);  // goes with the call's place, or with its refusal
    if (refuses) {
      call->done.set({.status = InvokeStatus::throttled, .detail = "The server stops."});
      return;
    }
    if (is_before_its_turn(turn, *call->spec) || !admit(*call)) {
      throttles.add();
      measure(kThrottles, *call->spec, 1);
      call->done.set({.status = InvokeStatus::throttled,
                      .detail = "Rate Exceeded.",
                      .is_over_reserved = call->spec->reserved_concurrency.has_value()});
      return;
    }
    const std::shared_ptr<Group> group = group_for(call->spec);
    if (!group->idle.empty()) {
      Worker& worker = *group->idle.back();
      group->idle.pop_back();
      dispatch(worker, std::move(call));
      return;
    }
    group->waiters.push_back(std::move(call));
    start_workers(group);
  }

  // Counts the call in, if there is a free place for it. Calls that wait for a process have one.
  bool admit(WorkerCall& call) {
    const FunctionSpec& spec = *call.spec;
    if (free_places(spec) <= 0) return false;
    call.is_reserved = spec.reserved_concurrency.has_value();
    if (!call.is_reserved) ++unreserved[place_of(spec)];
    ++of_function[spec.arn];
    under_way.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  void release(const WorkerCall& call) {
    under_way.fetch_sub(1, std::memory_order_relaxed);
    const FunctionSpec& spec = *call.spec;
    if (const auto count = of_function.find(spec.arn); --count->second == 0) of_function.erase(count);
    if (!call.is_reserved) {
      if (const auto count = unreserved.find(place_of(spec)); --count->second == 0) unreserved.erase(count);
    }
    if (!lines->is_empty()) lines->call_next(pool_of(spec), free_in_line(spec));
  }

  // Of those, how many who wait in line may have. Places help nobody while there is no room for another process: their
  // own pauses hold until then.
  [[nodiscard]] int free_in_line(const FunctionSpec& spec) const {
    return refuses || base::RealClock().now() < no_room_until ? 0 : free_places(spec);
  }

  // How many more calls of the function may run.
  [[nodiscard]] int free_places(const FunctionSpec& spec) const {
    const auto count_in = [](const auto& counts, const std::string& key) {
      const auto found = counts.find(key);
      return found == counts.end() ? 0 : found->second;
    };
    if (spec.reserved_concurrency) return *spec.reserved_concurrency - count_in(of_function, spec.arn);
    return options.concurrency_max - spec.reserved_in_account - count_in(unreserved, place_of(spec));
  }

  static std::string place_of(const FunctionSpec& spec) { return spec.account + ":" + spec.region; }

  // What the function's places are shared by: itself, or all in the account's region that reserve nothing.
  static std::string pool_of(const FunctionSpec& spec) {
    return spec.reserved_concurrency ? spec.arn : place_of(spec);
  }

  // A call that was throttled before and comes because its own time is up: the places that there are go to those who
  // were called.
  bool is_before_its_turn(const PlaceTurnPtr& turn, const FunctionSpec& spec) const {
    return turn && lines->is_before_its_turn(*turn, pool_of(spec), free_places(spec));
  }

  void dispatch(Worker& worker, std::unique_ptr<WorkerCall> call) {
    invocations.add();
    call->dispatched = base::RealClock().now();
    const FunctionSpec& spec = *call->spec;
    measure(kInvocations, spec, 1);
    measure(kThrottles, spec, 0);
    measure(kConcurrentExecutions, spec, ++running[spec.arn]);
    if (!memory_watch_armed) arm_memory_watch();
    worker.dispatch(std::move(call));
  }

  void measure(const wire::PlatformMetric& metric, const FunctionSpec& spec, double value) {
    if (options.usage) options.usage->add(metric, spec.account, spec.region, spec.name, value);
  }

  // Of a call that a process has had.
  void measure_end(const WorkerCall& call, const InvocationResult& result) {
    const FunctionSpec& spec = *call.spec;
    const base::Duration duration = base::RealClock().now() - call.dispatched;
    measure(kDuration, spec, std::chrono::duration<double, std::milli>(duration).count());
    measure(kErrors, spec, result.status == InvokeStatus::function_error ? 1 : 0);
    const auto count = running.find(spec.arn);
    if (count != running.end() && --count->second == 0) running.erase(count);
  }

  void complete(std::unique_ptr<WorkerCall> call, InvocationResult result) {
    release(*call);
    if (result.status == InvokeStatus::function_error) errors.add();
    call->done.set(std::move(result));
  }

  // The group of the spec's revision; one of another revision is retired and its waiting calls move over.
  std::shared_ptr<Group> group_for(const std::shared_ptr<const FunctionSpec>& spec) {
    std::shared_ptr<Group>& slot = groups[key_of(*spec)];
    if (slot && !slot->retired && slot->spec->revision == spec->revision) return slot;
    auto fresh = std::make_shared<Group>();
    fresh->spec = spec;
    if (slot) {
      fresh->waiters = std::move(slot->waiters);
      slot->waiters.clear();
      retire(*slot);
    }
    slot = fresh;
    if (!fresh->waiters.empty()) start_workers(fresh);
    return fresh;
  }

  void retire(Group& group) {
    group.retired = true;
    for (Worker* worker : std::exchange(group.idle, {})) worker->end();
  }

  void retire_function(const std::string& arn, std::string_view version) {
    std::erase_if(groups, [&](auto& entry) {
      Group& group = *entry.second;
      if (group.spec->arn != arn || (!version.empty() && group.spec->version != version)) return false;
      retire(group);
      return group.waiters.empty();
    });
  }

  // ---- Starting ----

  void start_workers(const std::shared_ptr<Group>& group) {
    while (group->starting < std::min(group->waiters.size(), kStartsOfOneMax) && starting < kStartsMax) {
      if (members.size() >= options.workers_max) return wait_for_room(*group);
      auto launch = runtimes.resolve(group->spec->runtime);
      if (!launch) {
        fail_waiter(*group, {.status = InvokeStatus::failed, .detail = launch.error()});
        continue;
      }
      start_worker(group, *launch, 1);
    }
  }

  void start_worker(const std::shared_ptr<Group>& group, const Launch& launch, int attempt) {
    Worker::Setup setup;
    setup.spec = group->spec;
    setup.launch = launch;
    setup.temporary = options.scratch / base::cat("worker-", ++worker_count);
    setup.endpoint = options.endpoint;
    setup.logs = options.logs;
    setup.start_limit = attempt < kStartAttempts ? std::chrono::nanoseconds(kStartLimit) : group->spec->timeout;
    setup.attempt = attempt;
    setup.warn_of_substitute = !std::exchange(group->warned_of_substitute, true);
    auto worker = std::make_shared<Worker>(loop, disk, *this, std::move(setup));
    members.emplace(worker.get(), Member{worker, group});
    ++*alive;
    ++group->starting;
    ++starting;
    starts.add();
    worker->start(scope);
    if (!sweep_armed) arm_sweep();
  }

  // As many processes live as may. An idle one of another function makes room; without any, whoever no process of its
  // function will become free for is throttled.
  void wait_for_room(Group& group) {
    if (end_longest_idle_of_all()) return;  // start_more() follows its end
    const bool one_will_be_free = std::ranges::any_of(
        members, [&](const auto& entry) { return entry.second.group.get() == &group; });
    if (one_will_be_free) return;
    no_room_until = base::RealClock().now() + kNoRoomPause;
    while (!group.waiters.empty()) {
      throttles.add();
      measure(kThrottles, *group.spec, 1);
      fail_waiter(group, {.status = InvokeStatus::throttled,
                          .detail = "As many processes of functions run as the limit of open files allows."});
    }
  }

  void started(Member& member) {
    if (!std::exchange(member.starting, false)) return;
    --member.group->starting;
    --starting;
  }

  // A start has ended: others that waited for their turn may begin.
  void start_more() {
    for (auto entry = groups.begin(); entry != groups.end() && starting < kStartsMax;) {
      const std::shared_ptr<Group> group = (entry++)->second;
      if (!group->waiters.empty()) start_workers(group);
    }
  }

  void fail_waiter(Group& group, InvocationResult result) {
    if (group.waiters.empty()) return;
    std::unique_ptr<WorkerCall> call = std::move(group.waiters.front());
    group.waiters.pop_front();
    complete(std::move(call), std::move(result));
  }

  // ---- What workers report ----

  void on_idle(Worker& worker) override {
    Member& member = members.at(&worker);
    const std::shared_ptr<Group> group = member.group;
    const bool was_starting = member.starting;
    started(member);
    if (!group->waiters.empty()) {
      std::unique_ptr<WorkerCall> call = std::move(group->waiters.front());
      group->waiters.pop_front();
      dispatch(worker, std::move(call));
    } else if (group->retired) {
      worker.end();
    } else {
      member.idle_since = base::RealClock().now();
      group->idle.push_back(&worker);
      end_longest_idle();
    }
    // At the limit of processes this one may be ended for those that wait for another.
    if (was_starting || members.size() >= options.workers_max) start_more();
  }

  void on_start_failed(Worker& worker, StartFailure failure) override {
    Member& member = members.at(&worker);
    const std::shared_ptr<Group> group = member.group;
    started(member);
    base::log_warning("function_start_failed", {{"function", worker.spec().name},
                                                {"error", failure.error_type},
                                                {"message", failure.message}});
    if (failure.timed_out && worker.setup().attempt < kStartAttempts && !group->waiters.empty()) {
      start_worker(group, worker.setup().launch, worker.setup().attempt + 1);
      return;
    }
    if (failure.status == InvokeStatus::throttled) no_room_until = base::RealClock().now() + kNoRoomPause;
    if (failure.status == InvokeStatus::throttled && !group->waiters.empty()) {
      throttles.add();
      measure(kThrottles, worker.spec(), 1);
    }
    if (!group->waiters.empty()) fail_waiter(*group, start_failure_result(worker, *group->waiters.front(), failure));
    start_more();
  }

  static InvocationResult start_failure_result(const Worker& worker, const WorkerCall& call, StartFailure& failure) {
    InvocationResult result;
    result.status = failure.status;
    result.detail = failure.message;
    if (failure.status != InvokeStatus::function_error) return result;
    result.function_error = "Unhandled";
    result.payload = failure.document.empty()
                         ? error_document(failure.error_type, call.invocation.request_id, failure.message)
                         : std::move(failure.document);
    if (call.invocation.want_tail) result.log_tail = worker.log_tail();
    return result;
  }

  void on_call_done(Worker&, std::unique_ptr<WorkerCall> call, InvocationResult result) override {
    measure_end(*call, result);
    complete(std::move(call), std::move(result));
  }

  void on_ended(Worker& worker) override {
    auto node = members.extract(&worker);
    if (node.empty()) return;
    Member& member = node.mapped();
    --*alive;
    started(member);
    std::erase(member.group->idle, &worker);
    loop.post([ended = std::move(member.worker)] { ended->close(); });
    start_more();
  }

  // ---- Housekeeping, in the machine's time ----

  void end_longest_idle() {
    if (members.size() > kIdleWorkersMax) (void)end_longest_idle_beyond(kIdleWorkersMax);
  }
  bool end_longest_idle_of_all() { return end_longest_idle_beyond(0); }

  // Of more idle processes than that. False: there are no more.
  bool end_longest_idle_beyond(size_t kept) {
    size_t count = 0;
    Member* longest = nullptr;
    for (auto& [worker, member] : members) {
      if (!is_idle(member)) continue;
      ++count;
      if (!longest || member.idle_since < longest->idle_since) longest = &member;
    }
    if (count <= kept) return false;
    end_idle(*longest);
    return true;
  }

  static bool is_idle(const Member& member) {
    return std::ranges::find(member.group->idle, member.worker.get()) != member.group->idle.end();
  }

  static void end_idle(Member& member) {
    std::erase(member.group->idle, member.worker.get());
    member.worker->end();
  }

  void arm_sweep() {
    sweep_armed = true;
    sweep_alarm = loop.call_after(std::max<std::chrono::nanoseconds>(options.idle_max / 4, 1s), [this] { sweep(); });
  }

  void sweep() {
    sweep_armed = false;
    const base::Time now = base::RealClock().now();
    for (auto& [worker, member] : members) {
      if (is_idle(member) && now - member.idle_since >= options.idle_max) end_idle(member);
    }
    if (!members.empty()) arm_sweep();
  }

  void arm_memory_watch() {
    memory_watch_armed = true;
    memory_alarm = loop.call_after(kMemoryInterval, [this] { watch_memory(); });
  }

  void watch_memory() {
    memory_watch_armed = false;
    bool any = false;
    for (auto& [worker, member] : members) {
      if (!worker->busy()) continue;
      any = true;
      worker->check_memory();
    }
    if (any) arm_memory_watch();
  }

  net::Loop& loop;
  base::Clock& clock;
  const WorkersOptions options;
  HostRuntimes runtimes;
  base::Counter& invocations;
  base::Counter& errors;
  base::Counter& throttles;
  base::Counter& starts;
  std::shared_ptr<std::atomic<int64_t>> alive = std::make_shared<std::atomic<int64_t>>(0);

  std::unordered_map<std::string, std::shared_ptr<Group>> groups;
  std::unordered_map<Worker*, Member> members;
  std::unordered_map<std::string, int> running;  // calls that processes have, by the function's ARN
  // Calls, waiting and running: by their function's ARN, and those that are within no reservation by account and region.
  std::unordered_map<std::string, int> of_function;
  std::unordered_map<std::string, int> unreserved;
  std::atomic<size_t> under_way = 0;  // of all functions
  std::atomic<bool> refuses = false;
  base::Time no_room_until{};  // for another process
  int starting = 0;
  uint64_t worker_count = 0;
  bool sweep_armed = false;
  bool memory_watch_armed = false;
  base::Alarm sweep_alarm;
  base::Alarm memory_alarm;
  std::shared_ptr<PlaceLines> lines;
  base::BlockingWork disk;  // removes what processes leave behind
  base::Scope scope;        // watches over the processes
};

Workers::Workers(net::Loop& loop, base::Clock& clock, base::Metrics& metrics, WorkersOptions options) {
  if (options.search_path.empty()) {
    if (const char* path = std::getenv("PATH")) options.search_path = path;
  }
  impl_ = std::make_shared<Impl>(loop, clock, metrics, std::move(options));
}

Workers::~Workers() = default;

Task<InvocationResult> Workers::invoke(std::shared_ptr<const FunctionSpec> spec, Invocation invocation) {
  Impl& impl = *impl_;
  auto call = std::make_unique<WorkerCall>(
      WorkerCall{std::move(spec), std::move(invocation), {}, impl.clock.activity().hold()});
  const base::Future<InvocationResult> done = call->done;
  if (base::Executor::current_or_null() == &impl.loop) {
    impl.submit(std::move(call));
  } else {
    impl.loop.post([weak = std::weak_ptr(impl_), call = std::move(call)]() mutable {
      if (const auto shared = weak.lock()) shared->submit(std::move(call));
    });
  }
  co_return co_await done;
}

PlaceTurnPtr Workers::wait_for_place(std::shared_ptr<const FunctionSpec> spec, base::Time since,
                                     std::function<void()> called) {
  std::string pool = Impl::pool_of(*spec);
  return impl_->lines->enter(std::move(pool), std::move(spec), since, std::move(called));
}

void Workers::retire(const std::string& function_arn, std::string_view version) {
  impl_->loop.post([weak = std::weak_ptr(impl_), function_arn, version = std::string(version)] {
    if (const auto shared = weak.lock()) shared->retire_function(function_arn, version);
  });
}

void Workers::refuse_more() { impl_->refuses = true; }

size_t Workers::under_way() const { return impl_->under_way.load(std::memory_order_relaxed); }

std::optional<std::string> Workers::unsupported_reason(std::string_view runtime) const {
  auto launch = impl_->runtimes.resolve(runtime);
  if (launch) return std::nullopt;
  return launch.error();
}

}  // namespace tidemill::engine
