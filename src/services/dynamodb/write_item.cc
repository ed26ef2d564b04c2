#include "services/dynamodb/write_item.h"

#include "services/dynamodb/expiry.h"
#include "services/dynamodb/history.h"
#include "services/dynamodb/index_entries.h"
#include "services/dynamodb/stream_record.h"
#include "wire/large_work.h"

namespace tidemill::dynamodb {

ItemKey key_in(const Table& table, ItemView item) {
  return item_key(table.id, *item.find(table.partition.name), table.sort ? item.find(table.sort->name) : std::nullopt);
}

namespace {

void write_all_parts(store::Transaction& txn, const Table& table, const ItemKey& key, std::optional<ItemView> before,
                     std::optional<ItemView> after, Cause cause) {
  write_blindly(txn, key, after);
  write_entries(txn, table, before, after);
  move_expiry(txn, table, key.bytes, before, after);
  if (table.features.keeps_history()) append_change(txn, table.id, key.bytes, before);
  const std::string_view sort_name = table.sort ? std::string_view(table.sort->name) : std::string_view();
  if (const KinesisDestination* destination = table.features.active_kinesis()) {
    txn.append(outbox_log(destination->outbox), encode_change(ViewType::new_and_old_images, table.partition.name,
                                                              sort_name, before, after, cause == Cause::expiry));
  }
  if (!table.stream) return;
  txn.append(table.stream->log_for(key.hash), encode_change(table.stream->view_type, table.partition.name, sort_name,
                                                            before, after, cause == Cause::expiry));
}

size_t size_of(std::optional<ItemView> before, std::optional<ItemView> after) {
  return (before ? before->encoded().size() : 0) + (after ? after->encoded().size() : 0);
}

Task<void> write_in_steps(store::Transaction& txn, const Table& table, const ItemKey& key, std::optional<ItemView> before,
                          std::optional<ItemView> after, const WriteOptions& options) {
  if (table.has_local_indexes()) {
    co_await count_change(txn, table, key.bytes, before, after, options.collection_bytes_max, options.large_items);
  }
  // Each index, the stream and the history have a copy of it, or of parts.
  co_await wire::do_large_joined(options.large_items, size_of(before, after), [&] {
    write_all_parts(txn, table, key, before, after, options.cause);
  });
}

}  // namespace

Task<void> write_item(store::Transaction& txn, const Table& table, const ItemKey& key, std::optional<ItemView> before,
                      std::optional<ItemView> after, const WriteOptions& options) {
  if (before == after) return Task<void>::ready();
  if (after) check_index_keys(table, before, *after);
  if (table.has_local_indexes() || (options.large_items && wire::is_for_thread(size_of(before, after)))) {
    return write_in_steps(txn, table, key, before, after, options);
  }
  write_all_parts(txn, table, key, before, after, options.cause);  // most tables: nothing to wait for
  return Task<void>::ready();
}

void write_blindly(store::Transaction& txn, const ItemKey& key, std::optional<ItemView> after) {
  if (after)
    txn.put(key.bytes, after->encoded());
  else
    txn.erase(key.bytes);
}

}  // namespace tidemill::dynamodb
