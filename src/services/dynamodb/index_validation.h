// The keys and indexes that CreateTable and UpdateTable are given, checked with AWS's messages. All throw wire::Error.
#pragma once

#include <vector>

#include "services/dynamodb/table.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

using AttributeDefinitions = std::vector<wire::dynamodb::AttributeDefinition>;

// Puts the keys and indexes of a new table into its description, whose billing mode is set already.
void set_keys_and_indexes(Table& table, const wire::dynamodb::CreateTableInput& request);

// The index that a GlobalSecondaryIndexUpdate creates: without number, and not complete yet. That its name is free is
// up to the caller.
[[nodiscard]] Index checked_new_index(const Table& table, const wire::dynamodb::GlobalSecondaryIndex& request,
                                      const std::optional<AttributeDefinitions>& definitions);

// That the INCLUDE projections of all indexes together are not too many attributes.
void check_projected_attributes(const std::vector<Index>& indexes);

// OnDemandThroughput of an index of the table.
void set_index_maximum(const Table& table, Index& index, const wire::dynamodb::OnDemandThroughput& maximum);

}  // namespace tidemill::dynamodb
