// What buckets hold, told to CloudWatch once a day: BucketSizeBytes and NumberOfObjects. S3 User Guide, "Metrics and
// dimensions". One timer for all buckets, due at each midnight (UTC) as long as there are any.
#pragma once

#include "services/s3/service.h"
#include "store/timer.h"

namespace tidemill::s3 {

inline constexpr store::TimerKind kStorageTimer{"s3-storage-metrics"};  // id: "all"

// With a new bucket's record.
Task<void> schedule_storage_metrics(store::Transaction& txn, base::Time now);

// Measures all buckets, and sets the timer for the next midnight. `usage` may be null.
Task<void> measure_storage(Service& service, wire::PlatformMetrics* usage, store::Timer timer);

}  // namespace tidemill::s3
