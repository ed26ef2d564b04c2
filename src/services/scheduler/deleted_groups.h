// Erases the schedules of groups that are being deleted, some at a time, and then the group.
#pragma once

#include "engine/timer_service.h"
#include "services/scheduler/group.h"
#include "services/scheduler/running.h"
#include "store/store.h"

namespace tidemill::scheduler {

// Before the timers start. What is passed outlives them.
void erase_deleted_groups_by(engine::TimerService& timers, store::Store& store, Running& running);

// In the transaction that marks the group as deleting.
Task<void> erase_group_soon(store::Transaction& txn, const GroupAddress& address, base::Time now);

}  // namespace tidemill::scheduler
