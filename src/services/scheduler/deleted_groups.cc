#include "services/scheduler/deleted_groups.h"

#include <vector>

#include "store/timer.h"

namespace tidemill::scheduler {
namespace {

Task<void> erase_some(store::Store& store, Running& running, const store::Timer& timer) {
  const auto group = group_of_key(timer.id);
  if (!group) throw std::runtime_error("a schedule group's timer is damaged");
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    std::vector<ScheduleAddress> found;
    co_await txn.scan(schedules_range(group->account, group->region, group->name), store::Direction::forward,
                      [&](std::string_view key, std::string_view) {
                        found.push_back(schedule_of_key(key));
                        return found.size() < kErasedAtOnce;
                      });
    for (const ScheduleAddress& address : found) co_await running.erase(txn, address);
    if (found.size() < kErasedAtOnce) {
      txn.erase(timer.id);
    } else {
      co_await store::set_timer(txn, timer);
    }
  });
}

}  // namespace

void erase_deleted_groups_by(engine::TimerService& timers, store::Store& store, Running& running) {
  timers.handle(store::TimerKind{kGroupTimer},
                [&](const store::Timer& timer) { return erase_some(store, running, timer); });
}

Task<void> erase_group_soon(store::Transaction& txn, const GroupAddress& address, base::Time now) {
  co_await store::set_timer(txn, {std::string(kGroupTimer), group_key(address), now, ""});
}

}  // namespace tidemill::scheduler
