// The parsed descriptions of tables, shared by all threads, so that an operation on an item parses none.
//
// Reads use what is here: it is thrown away as soon as a change of any table commits. Writes check it in their
// transaction (is_current), so that none goes to a table as it was.
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "services/dynamodb/table.h"

namespace tidemill::dynamodb {

using TablePtr = std::shared_ptr<const Table>;

class TableCache {
 public:
  static constexpr size_t kTablesMax = 10'000;  // kept; beyond, the cache starts anew

  // `store` must outlive the cache.
  explicit TableCache(store::Store& store);

  // nullptr: there is no such table, or it is being restored. Any thread.
  Task<TablePtr> find(const TableAddress& address);
  // The same for a writer, which counts its attempts from 0: one that has found the table changed looks past the cache,
  // because a change is in the store before the cache is told of it.
  Task<TablePtr> find(const TableAddress& address, int attempt);

 private:
  Task<TablePtr> load(const TableAddress& address, std::string key);
  void clear();

  store::Store& store_;
  std::shared_mutex mutex_;
  uint64_t epoch_ = 0;  // counts the clearings: what was read before one is not kept after it
  std::unordered_map<std::string, TablePtr> tables_;  // by table_key
  store::Subscription subscription_;
};

// Whether the table is still described by the same bytes; makes the transaction conflict with a later change.
Task<bool> is_current(store::Transaction& txn, const Table& table);

}  // namespace tidemill::dynamodb
