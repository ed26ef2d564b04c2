// Makes a schedule. Its first run waits in the same commit.
#include "base/text.h"
#include "services/scheduler/group.h"
#include "services/scheduler/operations.h"
#include "services/scheduler/request.h"

namespace tidemill::scheduler {

Task<shapes::CreateScheduleOutput> create_schedule(Service& service, wire::Context& context,
                                                   const shapes::CreateScheduleInput& request) {
  const Schedule schedule = schedule_of(context, request);
  const ScheduleAddress& address = schedule.address;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const Group group = co_await load_group(txn, {address.account, address.region, address.group});
    if (group.deleting) {
      throw errors::conflict_exception(base::cat("Schedule group ", address.group, " is being deleted."));
    }
    if (const auto existing = co_await find_schedule(txn, address)) {
      if (is_asked_again(*existing, schedule)) co_return;
      throw errors::conflict_exception(base::cat("Schedule ", address.name, " already exists."));
    }
    check_start(schedule, nullptr);
    co_await service.running().put(txn, schedule);
  });
  co_return shapes::CreateScheduleOutput{.schedule_arn = address.arn()};
}

}  // namespace tidemill::scheduler
