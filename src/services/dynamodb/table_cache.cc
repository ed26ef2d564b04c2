#include "services/dynamodb/table_cache.h"

namespace tidemill::dynamodb {
namespace {

TablePtr make(store::Remembered stored) {
  auto table = decode_table(std::move(stored));
  if (!table || table->features.is_being_filled()) return nullptr;
  return std::make_shared<const Table>(*std::move(table));
}

}  // namespace

Task<TablePtr> TableCache::find(store::Snapshot& reader, const TableAddress& address) {
  return tables_.find(reader, table_key(address), make);
}

}  // namespace tidemill::dynamodb
