// When processes are started, and how many at a time.
#include "engine/workers/worker_pool.h"

#include <algorithm>
#include <system_error>

#include "base/log.h"
#include "base/text.h"

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;

// AWS's limit for the start of a runtime. A start that takes longer is repeated once, within the function's timeout.
constexpr auto kStartLimit = 10s;

}  // namespace

void Workers::Impl::start_workers(const std::shared_ptr<Group>& group) {
  while (group->starting < std::min(group->waiters.size(), starts_of_one_max) && starting < starts_max) {
    if (as_many_work_as_may(*group->spec)) {
      starts_held = true;
      return;
    }
    if (members.size() >= options.workers_max) return wait_for_room(*group);
    auto launch = launch_of(*group->spec);
    if (!launch) {
      if (launch.error().status == InvokeStatus::throttled) count_throttle(*group->spec);
      fail_waiter(*group, std::move(launch.error()));
      continue;
    }
    start_worker(group, *launch, 1);
  }
}

std::expected<Launch, InvocationResult> Workers::Impl::launch_of(const FunctionSpec& spec) {
  try {
    auto launch = runtimes.resolve(spec.runtime);
    if (!launch) return std::unexpected(InvocationResult{.status = InvokeStatus::failed, .detail = launch.error()});
    launch->may_mount = !spec.layers.empty() && !options.sandbox && options.may_mount && runtimes.may_mount();
    return *std::move(launch);
  } catch (const std::system_error& error) {
    no_room_until = base::RealClock().now() + kNoRoomPause;
    base::log_warning("function_start_failed",
                      {{"function", spec.name}, {"error", "throttled"}, {"message", error.what()}});
    return std::unexpected(InvocationResult{.status = InvokeStatus::throttled, .detail = error.what()});
  }
}

void Workers::Impl::start_worker(const std::shared_ptr<Group>& group, const Launch& launch, int attempt,
                                 bool is_provisioned) {
  Worker::Setup setup;
  setup.spec = group->spec;
  setup.launch = launch;
  setup.temporary = options.scratch / base::cat(kWorkerDirectory, ++worker_count);
  setup.endpoint = options.endpoint;
  setup.logs = options.logs;
  setup.clock = &clock;
  setup.tells_time = options.tells_time;
  setup.keys = options.keys;
  setup.sandbox = options.sandbox ? &*options.sandbox : nullptr;
  setup.start_limit = attempt < kStartAttempts ? std::chrono::nanoseconds(kStartLimit) : group->spec->timeout;
  setup.attempt = attempt;
  setup.is_provisioned = is_provisioned;
  setup.starts_again = attempt > 1 || (!is_provisioned && group->failed_starts > 0);
  if (setup.starts_again && attempt == 1) --group->failed_starts;
  setup.warn_of_substitute = !std::exchange(group->warned_of_substitute, true);
  auto worker = std::make_shared<Worker>(loop, disk, looks, removal, *this, std::move(setup));
  Member member{.worker = worker, .group = group, .is_provisioned = is_provisioned};
  work(members.emplace(worker.get(), std::move(member)).first->second);
  if (is_provisioned) ++group->kept;
  ++*alive;
  ++group->starting;
  ++starting;
  starts.add();
  worker->start(scope);
  if (!sweep_armed) arm_sweep();
}

void Workers::Impl::wait_for_room(Group& group) {
  if (end_longest_idle_of_all()) return;  // start_more() follows its end
  const bool one_will_be_free = std::ranges::any_of(
      members, [&](const auto& entry) { return entry.second.group.get() == &group; });
  if (one_will_be_free) return;
  no_room_until = base::RealClock().now() + kNoRoomPause;
  while (!group.waiters.empty()) {
    count_throttle(*group.spec);
    fail_waiter(group, {.status = InvokeStatus::throttled,
                        .detail = "As many processes of functions run as the limit of open files allows."});
  }
}

void Workers::Impl::started(Member& member) {
  if (!std::exchange(member.starting, false)) return;
  --member.group->starting;
  --starting;
}

void Workers::Impl::start_more() {
  starts_held = false;
  for (auto entry = groups.begin(); entry != groups.end() && starting < starts_max;) {
    const std::shared_ptr<Group> group = (entry++)->second;
    if (!group->waiters.empty()) start_workers(group);
    if (group->kept < group->provisioned) keep_processes(group);
  }
}

}  // namespace tidemill::engine
