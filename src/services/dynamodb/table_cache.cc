#include "services/dynamodb/table_cache.h"

namespace tidemill::dynamodb {

TableCache::TableCache(store::Store& store)
    : store_(store), subscription_(store.subscribe(kTablesTopic, [this] { clear(); })) {}

Task<TablePtr> TableCache::find(const TableAddress& address) {
  std::string key = table_key(address);
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = tables_.find(key); found != tables_.end()) return Task<TablePtr>::ready(found->second);
  }
  return load(address, std::move(key));
}

Task<TablePtr> TableCache::find(const TableAddress& address, int attempt) {
  return attempt == 0 ? find(address) : load(address, table_key(address));
}

Task<TablePtr> TableCache::load(const TableAddress& address, std::string key) {
  uint64_t epoch;
  {
    const std::shared_lock lock(mutex_);
    epoch = epoch_;
  }
  auto table = co_await load_usable_table(*store_.snapshot(), address);
  if (!table) co_return nullptr;
  auto shared = std::make_shared<const Table>(*std::move(table));
  const std::unique_lock lock(mutex_);
  if (epoch == epoch_) {
    if (tables_.size() >= kTablesMax) tables_.clear();
    tables_.insert_or_assign(std::move(key), shared);
  }
  co_return shared;
}

void TableCache::clear() {
  const std::unique_lock lock(mutex_);
  ++epoch_;
  tables_.clear();
}

Task<bool> is_current(store::Transaction& txn, const Table& table) {
  const auto bytes = co_await txn.get(table.key);
  co_return bytes && *bytes == table.encoded;
}

}  // namespace tidemill::dynamodb
