// Settings that all replicas of a global table have alike: what UpdateTable changes of one it changes of all. Tags,
// policies, recovery, streaming to Kinesis and deletion protection are each region's own.
#pragma once

#include <vector>

#include "services/dynamodb/table.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// What a replica cannot be asked for. Throws ValidationException.
void check_suits_replica(const Table& table, const wire::dynamodb::UpdateTableInput& request);

// Does the same to another replica, which is saved by the caller. `before` and `after` are the table that was asked.
Task<void> change_alike(store::Transaction& txn, Table& other, const Table& before, const Table& after,
                        const wire::dynamodb::UpdateTableInput& request, base::Time now);

}  // namespace tidemill::dynamodb
