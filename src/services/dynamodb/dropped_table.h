// What remains of a deleted table: nothing, unless point-in-time recovery was on, which leaves a system backup, or
// copies of it are being made, which go on with its items and its history until they are done.
//
// In the store: KeySpace::resource, (account, region, "dynamodb", "dropped", table id), while copies need it.
#pragma once

#include <string_view>

#include "services/dynamodb/table.h"

namespace tidemill::dynamodb {

// Deletes the table. Its stream is ended by the caller.
Task<void> drop_table(store::Transaction& txn, const Table& table, base::Time now);

// The copy `name` of the table needs it no longer. Whoever is the last gives back what only copies needed.
Task<void> release_copy(store::Transaction& txn, const TableAddress& address, const TableId& id, std::string_view name);

}  // namespace tidemill::dynamodb
