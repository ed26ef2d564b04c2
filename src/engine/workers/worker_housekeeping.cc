// Processes that have been idle for long, or are too many, end; those at work are watched.
#include "engine/workers/worker_pool.h"

#include <algorithm>

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;

// Idle processes kept, of all functions; beyond, the one that was used longest ago ends.
constexpr size_t kIdleWorkersMax = 128;
// Between two looks at the memory of busy processes.
constexpr auto kMemoryInterval = 25ms;

}  // namespace

void Workers::Impl::end_longest_idle() {
  if (members.size() > kIdleWorkersMax) (void)end_longest_idle_beyond(kIdleWorkersMax);
}

bool Workers::Impl::end_longest_idle_of_all() {
  return end_longest_idle_beyond(0);
}

bool Workers::Impl::end_longest_idle_beyond(size_t kept) {
  size_t count = 0;
  Member* longest = nullptr;
  for (auto& [worker, member] : members) {
    if (member.is_provisioned || !is_idle(member)) continue;
    ++count;
    if (!longest || member.idle_since < longest->idle_since) longest = &member;
  }
  if (count <= kept) return false;
  end_idle(*longest);
  return true;
}

bool Workers::Impl::is_idle(const Member& member) {
  return std::ranges::find(member.group->idle, member.worker.get()) != member.group->idle.end();
}

void Workers::Impl::end_idle(Member& member) {
  std::erase(member.group->idle, member.worker.get());
  member.worker->end();
}

void Workers::Impl::arm_sweep() {
  sweep_armed = true;
  sweep_alarm = loop.call_after(std::max<std::chrono::nanoseconds>(options.idle_max / 4, 1s), [this] { sweep(); });
}

void Workers::Impl::sweep() {
  sweep_armed = false;
  const base::Time now = base::RealClock().now();
  for (auto& [worker, member] : members) {
    if (!member.is_provisioned && is_idle(member) && now - member.idle_since >= options.idle_max) end_idle(member);
  }
  if (removal.left() > 0) removal.retry();
  if (!members.empty() || removal.left() > 0) arm_sweep();
}

void Workers::Impl::arm_memory_watch() {
  memory_watch_armed = true;
  memory_alarm = loop.call_after(kMemoryInterval, [this] { watch_memory(); });
}

void Workers::Impl::watch_memory() {
  memory_watch_armed = false;
  bool any = false;
  for (auto& [worker, member] : members) {
    if (!worker->busy()) continue;
    any = true;
    worker->check_memory();
  }
  if (any) arm_memory_watch();
}

}  // namespace tidemill::engine
