// Forgetting events that have outlived their group's retention. Reads leave them out from then on
// (LogGroup::oldest_kept); a timer of the group deletes them, within an hour while the group has events.
#pragma once

#include "services/logs/service.h"
#include "store/timer.h"

namespace tidemill::logs {

// Id: the group's key. Payload: the group's id.
inline constexpr store::TimerKind kRetentionTimer{"logs-retention"};

// After the group got a retention.
Task<void> start_retention(store::Transaction& txn, const LogGroup& group, base::Time now);
Task<void> stop_retention(store::Transaction& txn, const LogGroup& group);

// The timer's handler.
Task<void> forget_outlived(Service& service, const store::Timer& timer);

}  // namespace tidemill::logs
