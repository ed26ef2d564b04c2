// The parsed descriptions of tables, shared by all threads, so that an operation on an item parses none.
//
// A read finds a table as it is in the snapshot that it reads items from. A write checks it once more in its transaction
// (is_current), so that none goes to a table as it was.
#pragma once

#include "services/dynamodb/table.h"

namespace tidemill::dynamodb {

using TablePtr = std::shared_ptr<const Table>;

class TableCache {
 public:
  static constexpr size_t kTablesMax = 10'000;  // kept; beyond, the cache starts anew

  // As `reader` has it. nullptr: there is no such table, or it is being restored. Any thread.
  Task<TablePtr> find(store::Snapshot& reader, const TableAddress& address);

 private:
  store::RememberedMap<Table> tables_{kTablesMax};  // by table_key
};

// Whether the table is still described by the same bytes; makes the transaction conflict with a later change. The table
// outlives the task.
inline Task<bool> is_current(store::Transaction& txn, const Table& table) { return table.stored.is_current(txn); }

}  // namespace tidemill::dynamodb
