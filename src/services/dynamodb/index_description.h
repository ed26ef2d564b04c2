// How a table's indexes are described to its owner, with the attributes that are keys of table or index.
#pragma once

#include "services/dynamodb/table.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// Adds the indexes, without counts: those of a new table are 0.
void describe_indexes(const Table& table, wire::dynamodb::TableDescription& description);

[[nodiscard]] wire::dynamodb::GlobalSecondaryIndexDescription describe_global_index(const Table& table,
                                                                                    const Index& index);

// Counts each index's entries as count_items() does a table's items.
Task<void> count_indexes(store::Snapshot& snapshot, const Table& table,
                         wire::dynamodb::TableDescription& description);

}  // namespace tidemill::dynamodb
