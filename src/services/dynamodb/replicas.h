// The other replicas of a table, found by what its description says of them.
#pragma once

#include <vector>

#include "services/dynamodb/table_cache.h"

namespace tidemill::dynamodb {

// As `reader` has it, also while it is being filled. `tables` may be null: then its description is parsed anew. Throws
// std::runtime_error if it is not there: descriptions of a group that disagree are damaged.
Task<TablePtr> find_replica(store::Snapshot& reader, TableCache* tables, const Table& table, const Replica& other);

// All of them, to be described or changed; in the order of the table's description.
Task<std::vector<Table>> load_replicas(store::Snapshot& reader, const Table& table);

// Whether one of the group is being filled. `others` are those of `table`.
[[nodiscard]] bool is_gaining_replica(const std::vector<Table>& others);

}  // namespace tidemill::dynamodb
