// ReplicaUpdates of UpdateTable: makes, changes and deletes replicas of a table. What AWS does was observed in October 2026:
// one replica is made or deleted at a time, by a request for nothing else, and through any replica of the group.
#pragma once

#include <vector>

#include "services/dynamodb/replicas.h"
#include "wire/context.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// A replica that others were made from cannot be deleted before them for so long.
inline constexpr std::chrono::hours kSourceOfReplicasMin{24};

// What can be checked without the table. Throws wire::Error.
void check_replica_updates(const wire::dynamodb::UpdateTableInput& request);

// Throws ResourceInUseException while one of the group is being filled; `others` are all but the one that is asked.
void check_is_settled(const std::vector<Table>& others);

// Carries them out, on the table and the others of its group, and saves these. Throws wire::Error.
Task<void> update_replicas(store::Transaction& txn, Table& table, const wire::dynamodb::UpdateTableInput& request,
                           const wire::Context& context);

// Before a table is deleted by DeleteTable: that it may leave its group, and that the others know it no more. Throws
// wire::Error.
Task<void> leave_group(store::Transaction& txn, const Table& table, base::Time now);

}  // namespace tidemill::dynamodb
