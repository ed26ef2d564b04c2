#include "services/dynamodb/write_item.h"

#include "services/dynamodb/expiry.h"
#include "services/dynamodb/history.h"
#include "services/dynamodb/index_entries.h"
#include "services/dynamodb/stream_record.h"

namespace tidemill::dynamodb {

ItemKey key_in(const Table& table, ItemView item) {
  return item_key(table.id, *item.find(table.partition.name),
                  table.sort ? item.find(table.sort->name) : std::nullopt);
}

void write_item(store::Transaction& txn, const Table& table, const ItemKey& key, std::optional<ItemView> before,
                std::optional<ItemView> after, Cause cause) {
  if (before == after) return;
  if (after) check_index_keys(table, before, *after);
  write_blindly(txn, key, after);
  write_entries(txn, table, before, after);
  move_expiry(txn, table, key.bytes, before, after);
  if (table.features.keeps_history()) append_change(txn, table.id, key.bytes, before);
  if (!table.stream) return;
  const std::string_view sort_name = table.sort ? std::string_view(table.sort->name) : std::string_view();
  txn.append(table.stream->log_for(key.hash),
             encode_change(table.stream->view_type, table.partition.name, sort_name, before, after,
                           cause == Cause::expiry));
}

void write_blindly(store::Transaction& txn, const ItemKey& key, std::optional<ItemView> after) {
  if (after) txn.put(key.bytes, after->encoded());
  else txn.erase(key.bytes);
}

}  // namespace tidemill::dynamodb
