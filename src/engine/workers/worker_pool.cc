#include "engine/workers/worker_pool.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "base/log.h"
#include "engine/workers/worker_errors.h"
#include "engine/workers/worker_leftovers.h"

namespace tidemill::engine {
namespace {

// 0: it is none's directory.
uint64_t number_of_worker(const std::filesystem::path& directory) {
  const std::string name = directory.filename();
  uint64_t number = 0;
  if (name.starts_with(kWorkerDirectory)) {
    std::from_chars(name.data() + kWorkerDirectory.size(), name.data() + name.size(), number);
  }
  return number;
}

}  // namespace

Workers::Impl::Impl(net::Loop& on, base::Clock& time, base::Metrics& metrics, WorkersOptions settings)
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
  if (!options.authorities.empty()) runtimes.trust(options.authorities);
  if (options.sandbox) runtimes.furnish_sandboxes(options.sandbox->name_server());
  end_leftover_workers(options.scratch);
  std::filesystem::create_directories(options.scratch);
  // Beside what is left of an earlier server's, new ones get numbers of their own.
  for (const auto& left : removal.empty(options.scratch)) worker_count = std::max(worker_count, number_of_worker(left));
  metrics.gauge("tidemill_function_workers", "Worker processes alive", "",
                [count = alive] { return static_cast<double>(count->load()); });
  metrics.gauge("tidemill_function_leftovers", "Directories of ended processes that could not be removed yet", "",
                removal.counter());
}

Workers::Impl::~Impl() {
  lines->close();
  scope.clear();
  for (auto& [worker, member] : members) member.worker->close();
}

void Workers::Impl::submit(std::unique_ptr<WorkerCall> call) {
  const PlaceTurnPtr turn = std::move(call->invocation.turn);  // goes with the call's place, or with its refusal
  if (refuses) {
    call->finish({.status = InvokeStatus::throttled, .detail = "The server stops."});
    return;
  }
  if (is_before_its_turn(turn, *call->spec) || !admit(*call)) {
    count_throttle(*call->spec);
    call->finish({.status = InvokeStatus::throttled,
                  .detail = "Rate Exceeded.",
                  .is_over_reserved = call->spec->reserved_concurrency.has_value()});
    return;
  }
  const std::shared_ptr<Group> group = group_for(call->spec);
  if (Worker* worker = take_idle(*group)) {
    dispatch(*worker, std::move(call));
    return;
  }
  group->waiters.push_back(std::move(call));
  start_workers(group);
}

Worker* Workers::Impl::take_idle(Group& group) {
  if (group.idle.empty()) return nullptr;
  auto chosen = std::prev(group.idle.end());
  if (group.kept > 0) {
    const auto kept = std::find_if(group.idle.rbegin(), group.idle.rend(),
                                   [&](Worker* worker) { return members.at(worker).is_provisioned; });
    if (kept != group.idle.rend()) chosen = std::prev(kept.base());
  }
  Worker* worker = *chosen;
  group.idle.erase(chosen);
  return worker;
}

void Workers::Impl::dispatch(Worker& worker, std::unique_ptr<WorkerCall> call) {
  invocations.add();
  call->dispatched = base::RealClock().now();
  const FunctionSpec& spec = *call->spec;
  Member& member = members.at(&worker);
  work(member);
  measure_begin(spec);
  measure_provisioned(member, *call);
  if (!memory_watch_armed) arm_memory_watch();
  worker.dispatch(std::move(call));
}

void Workers::Impl::complete(std::unique_ptr<WorkerCall> call, InvocationResult result) {
  release(*call);
  if (result.status == InvokeStatus::function_error) errors.add();
  call->finish(std::move(result));
}

auto Workers::Impl::group_for(const std::shared_ptr<const FunctionSpec>& spec) -> std::shared_ptr<Group> {
  std::shared_ptr<Group>& slot = groups[key_of(*spec)];
  // Who read the function before it was changed may come after those that wait for what it is now.
  const bool is_stale = slot && spec->edition < slot->spec->edition;
  if (slot && !slot->retired && (is_stale || slot->spec->revision == spec->revision)) {
    if (!is_stale) slot->spec = spec;  // how many may run is no part of the revision
    return slot;
  }
  auto fresh = std::make_shared<Group>();
  fresh->spec = is_stale ? slot->spec : spec;
  if (slot) {
    fresh->waiters = std::move(slot->waiters);
    fresh->provisioned = slot->provisioned;
    slot->waiters.clear();
    retire(*slot);
  }
  slot = fresh;
  if (!fresh->waiters.empty()) start_workers(fresh);
  keep_processes(fresh);
  return fresh;
}

void Workers::Impl::retire(Group& group) {
  group.retired = true;
  tell_provisioned(group);
  for (Worker* worker : std::exchange(group.idle, {})) worker->end();
}

void Workers::Impl::retire_function(const std::string& arn, std::string_view version) {
  std::erase_if(groups, [&](auto& entry) {
    Group& group = *entry.second;
    if (group.spec->arn != arn || (!version.empty() && group.spec->version != version)) return false;
    retire(group);
    return group.waiters.empty();
  });
}

void Workers::Impl::fail_waiter(Group& group, InvocationResult result) {
  if (group.waiters.empty()) return;
  std::unique_ptr<WorkerCall> call = std::move(group.waiters.front());
  group.waiters.pop_front();
  complete(std::move(call), std::move(result));
}

void Workers::Impl::on_idle(Worker& worker) {
  Member& member = members.at(&worker);
  const std::shared_ptr<Group> group = member.group;
  const bool was_starting = member.starting;
  started(member);
  if (was_starting && member.is_provisioned) {
    member.is_ready = true;
    ++group->kept_ready;
    tell_provisioned(*group);
  }
  if (!group->waiters.empty()) {
    std::unique_ptr<WorkerCall> call = std::move(group->waiters.front());
    group->waiters.pop_front();
    dispatch(worker, std::move(call));
  } else if (group->retired) {
    worker.end();
  } else {
    rest(member);
    member.idle_since = base::RealClock().now();
    group->idle.push_back(&worker);
    end_longest_idle();
  }
  // At the limit of processes this one may be ended for those that wait for another.
  const bool is_place_free = starts_held && member.works_in.empty();
  if (was_starting || is_place_free || members.size() >= options.workers_max) start_more();
}

void Workers::Impl::on_unusable(Worker& worker) {
  const auto member = members.find(&worker);
  if (member != members.end()) std::erase(member->second.group->idle, &worker);
}

void Workers::Impl::on_start_failed(Worker& worker, StartFailure failure) {
  Member& member = members.at(&worker);
  const std::shared_ptr<Group> group = member.group;
  started(member);
  // For want of a resource it is not its code that is wrong.
  const bool is_throttled = failure.status == InvokeStatus::throttled;
  base::log_warning("function_start_failed", {{"function", worker.spec().name},
                                              {"error", is_throttled ? "throttled" : failure.error_type},
                                              {"message", failure.message}});
  const bool is_wanted = member.is_provisioned || !group->waiters.empty();
  if (failure.timed_out && worker.setup().attempt < kStartAttempts && is_wanted) {
    const bool is_provisioned = member.is_provisioned;
    if (is_provisioned) give_up(member);
    start_worker(group, worker.setup().launch, worker.setup().attempt + 1, is_provisioned);
    return;
  }
  if (member.is_provisioned && !is_throttled) {
    group->keeps_none = true;
    tell_provisioned(*group);
  }
  if (is_throttled) {
    no_room_until = base::RealClock().now() + kNoRoomPause;
    keep_later();
    (void)end_longest_idle_of_all();  // what it has may be what was wanting
  }
  if (is_throttled && !group->waiters.empty()) count_throttle(worker.spec());
  if (failure.status == InvokeStatus::function_error && !member.is_provisioned) ++group->failed_starts;
  if (!group->waiters.empty()) fail_waiter(*group, start_failure_result(worker, *group->waiters.front(), failure));
  start_more();
}

InvocationResult Workers::Impl::start_failure_result(Worker& worker, const WorkerCall& call, StartFailure& failure) {
  InvocationResult result;
  result.status = failure.status;
  result.detail = failure.message;
  if (failure.status != InvokeStatus::function_error) return result;
  worker.report_not_run(call, failure);
  result.function_error = "Unhandled";
  result.payload = failure.document.empty()
                       ? error_document(failure.error_type, call.invocation.request_id, failure.message)
                       : std::move(failure.document);
  if (call.invocation.want_tail) result.log_tail = worker.log_tail();
  return result;
}

void Workers::Impl::on_call_done(Worker&, std::unique_ptr<WorkerCall> call, InvocationResult result) {
  measure_end(*call, result);
  complete(std::move(call), std::move(result));
}

void Workers::Impl::on_ended(Worker& worker) {
  auto node = members.extract(&worker);
  if (node.empty()) return;
  Member& member = node.mapped();
  --*alive;
  rest(member);
  started(member);
  std::erase(member.group->idle, &worker);
  lose(member);
  loop.post([ended = std::move(member.worker), weak = weak_from_this()] {
    ended->close();
    const auto self = weak.lock();
    if (self && !self->sweep_armed) self->arm_sweep();  // to see to it that what it leaves is removed
  });
  start_more();
}

}  // namespace tidemill::engine
