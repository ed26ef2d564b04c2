// Replaces a schedule: what the request leaves out becomes what it is by default. It begins anew, as one that is made
// now; the same request once more, by its client's token, begins nothing again.
#include "services/scheduler/operations.h"
#include "services/scheduler/request.h"

namespace tidemill::scheduler {

Task<shapes::UpdateScheduleOutput> update_schedule(Service& service, wire::Context& context,
                                                   const shapes::UpdateScheduleInput& request) {
  Schedule schedule = schedule_of(context, request);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const Schedule existing = co_await load_schedule(txn, schedule.address);
    if (is_asked_again(existing, schedule)) co_return;
    schedule.created = existing.created;
    check_start(schedule, &existing);
    co_await service.running().put(txn, schedule);
  });
  co_return shapes::UpdateScheduleOutput{.schedule_arn = schedule.address.arn()};
}

}  // namespace tidemill::scheduler
