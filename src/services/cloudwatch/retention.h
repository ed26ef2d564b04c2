// Forgetting what is older than its tier keeps (metric_keys.h), and metrics that have nothing left. One timer: hourly
// while values come, and else when the next of them will have outlived its tier.
#pragma once

#include "base/clock.h"
#include "store/store.h"
#include "store/timer.h"

namespace tidemill::cloudwatch {

inline constexpr store::TimerKind kRetentionTimer{"cloudwatch-retention"};

// In the transaction that makes a metric, or in which values come to one again: what came is looked at within the hour.
Task<void> start_retention(store::Transaction& txn, base::Time now);

// The timer's handler.
Task<void> forget_outlived(store::Store& store, base::Clock& clock, const store::Timer& timer);

}  // namespace tidemill::cloudwatch
