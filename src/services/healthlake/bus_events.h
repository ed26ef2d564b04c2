// What the default bus is told of data stores and of their export jobs ("HealthLake events" in the developer guide).
#pragma once

#include "base/clock.h"
#include "services/healthlake/datastore.h"
#include "services/healthlake/export_job.h"
#include "store/store.h"

namespace tidemill::healthlake {

// In the transaction that gives it its status.
Task<void> tell_bus(store::Transaction& txn, const Datastore& datastore, base::Time now);
// The same; AWS tells nothing of cancellations.
Task<void> tell_bus(store::Transaction& txn, const DatastoreAddress& datastore, const ExportJob& job, base::Time now);

}  // namespace tidemill::healthlake
