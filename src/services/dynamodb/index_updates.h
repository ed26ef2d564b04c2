// GlobalSecondaryIndexUpdates of UpdateTable: creates, deletes and changes global indexes of a live table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/dynamodb/table.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// What can be checked without the table. Throws wire::Error.
void check_index_updates(const wire::dynamodb::UpdateTableInput& request);

struct IndexUpdates {
  std::vector<std::string> updated;  // names
  std::optional<Index> deleted;      // as it was
};

// Carries them out on a table whose billing has been changed already. A new index is kept up to date from the commit of
// this transaction on, and its backfill is scheduled; a deleted one is gone with its entries. Throws wire::Error.
Task<IndexUpdates> update_indexes(store::Transaction& txn, Table& table,
                                  const wire::dynamodb::UpdateTableInput& request, base::Time now);

// Shows in the answer what DescribeTable will not: UPDATING and DELETING.
void describe_index_updates(const Table& table, const IndexUpdates& updates,
                            wire::dynamodb::TableDescription& description);

}  // namespace tidemill::dynamodb
