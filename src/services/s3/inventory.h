// Inventories: reports of what a bucket holds, daily or weekly, as packed CSV files with a manifest in another bucket.
// S3 User Guide, "Cataloging and analyzing your data with S3 Inventory".
//
// They are due at the midnight (UTC) of a day, or of a Sunday: a bucket with configurations has one timer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/timer_service.h"
#include "services/s3/bucket.h"
#include "services/s3/service.h"
#include "store/timer.h"
#include "wire/shapes/s3.h"

namespace tidemill::s3 {

// Id: the bucket's id; payload: its name, and which reports are written already.
inline constexpr store::TimerKind kInventoryTimer{"s3-inventory"};
// Of a file of a report, before it is packed.
inline constexpr size_t kInventoryFileBytes = 16 << 20;

inline constexpr std::string_view kInventorySettings = "inventory.";
[[nodiscard]] std::vector<wire::s3::InventoryConfiguration> inventory_configurations(const Bucket& bucket);

// Throws MalformedXML, and NotImplemented for what is not there.
void check_inventory(const wire::s3::InventoryConfiguration& configuration);

// "Bucket, Key, Size": the columns of a report.
[[nodiscard]] std::vector<std::string> inventory_columns(const wire::s3::InventoryConfiguration& configuration);

// With the bucket's record: the timer that its configurations need.
Task<void> schedule_inventory(store::Transaction& txn, const Bucket& bucket, base::Time now);

// Writes the reports that are due, also those of days on which no server ran, and sets the timer for the next midnight.
// One that was under way when the process died begins anew; one that is written is not written again because another
// must be tried again.
Task<void> run_inventory(Service& service, wire::Platform& platform, store::Timer timer);

}  // namespace tidemill::s3
