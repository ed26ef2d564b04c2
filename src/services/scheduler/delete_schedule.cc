// Removes a schedule. Runs that are under way go on.
#include "services/scheduler/operations.h"

namespace tidemill::scheduler {

Task<shapes::DeleteScheduleOutput> delete_schedule(Service& service, wire::Context& context,
                                                   const shapes::DeleteScheduleInput& request) {
  const ScheduleAddress address{context.account, context.region,
                                request.group_name.value_or(std::string(kDefaultGroup)), request.name};
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    (void)co_await load_schedule(txn, address);
    co_await service.running().erase(txn, address);
  });
  co_return shapes::DeleteScheduleOutput{};
}

}  // namespace tidemill::scheduler
