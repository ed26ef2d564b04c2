// What a new replica of a table looks like: what of it is the table's, and what the request wants otherwise.
#pragma once

#include "services/dynamodb/table.h"
#include "wire/error.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// Without its stream, and of no group yet. Keys, indexes, billing, time to live, encryption and class come along; tags,
// policies, recovery, streaming to Kinesis and deletion protection are each region's own. Throws ValidationException.
[[nodiscard]] Table make_replica(const Table& source,
                                 const wire::dynamodb::CreateReplicationGroupMemberAction& wanted, const TableId& id,
                                 base::Time now);

// Replicas are paid by request: there is no provisioned throughput to override. Throws ValidationException.
void check_no_provisioned_override(const std::optional<wire::dynamodb::ProvisionedThroughputOverride>& wanted);

// Reads of a replica may have a maximum of their own. Throws ValidationException.
void override_maximum(Table& replica, const std::optional<wire::dynamodb::OnDemandThroughputOverride>& wanted);

// Whether it is encrypted with a key of its owner's, not with the one that DynamoDB keeps for the account.
[[nodiscard]] bool has_customers_key(const Table& table);

// Every replica has a key of its own region: which one is said for each.
[[nodiscard]] wire::Error key_is_missing();

}  // namespace tidemill::dynamodb
