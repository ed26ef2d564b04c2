#include "services/dynamodb/write_item.h"

#include <limits>

#include "services/dynamodb/expiry.h"
#include "services/dynamodb/history.h"
#include "services/dynamodb/index_entries.h"
#include "services/dynamodb/replicas.h"
#include "services/dynamodb/stream_record.h"
#include "wire/large_work.h"

namespace tidemill::dynamodb {

ItemKey key_in(const Table& table, ItemView item) {
  return item_key(table.id, *item.find(table.partition.name), table.sort ? item.find(table.sort->name) : std::nullopt);
}

namespace {

// Of a replica's collections: what may come is judged where a write was asked for.
constexpr int64_t kNoLimitOfBytes = std::numeric_limits<int64_t>::max();

// What can be read: by key, by index; and when it goes by itself.
void put_parts(store::Transaction& txn, const Table& table, const ItemKey& key, std::optional<ItemView> before,
               std::optional<ItemView> after) {
  write_blindly(txn, key, after);
  write_entries(txn, table, before, after);
  move_expiry(txn, table, key.bytes, before, after);
}

void write_all_parts(store::Transaction& txn, const Table& table, const ItemKey& key, std::optional<ItemView> before,
                     std::optional<ItemView> after, Cause cause) {
  put_parts(txn, table, key, before, after);
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

// To the table alone.
Task<void> write_here(store::Transaction& txn, const Table& table, const ItemKey& key, std::optional<ItemView> before,
                      std::optional<ItemView> after, const WriteOptions& options) {
  if (table.has_local_indexes() || (options.large_items && wire::is_for_thread(size_of(before, after)))) {
    return write_in_steps(txn, table, key, before, after, options);
  }
  write_all_parts(txn, table, key, before, after, options.cause);  // most tables: nothing to wait for
  return Task<void>::ready();
}

// Makes the item in another replica what it is in the table now. One that is being filled may not have had it yet.
Task<void> write_there(store::Transaction& txn, const Table& replica, const ItemKey& key,
                       std::optional<ItemView> after, base::BlockingWork* large_items) {
  const WriteOptions options{.collection_bytes_max = kNoLimitOfBytes, .large_items = large_items};
  const std::optional<std::string> stored = co_await txn.get(key.bytes);
  std::optional<ItemView> before;
  if (stored) before = ItemView(*stored);
  if (before != after) co_await write_here(txn, replica, key, before, after, options);
}

Task<void> write_everywhere(store::Transaction& txn, const Table& table, const ItemKey& key,
                            std::optional<ItemView> before, std::optional<ItemView> after,
                            const WriteOptions& options) {
  co_await write_here(txn, table, key, before, after, options);
  for (const Replica& other : table.replication.others) {
    const TablePtr replica = co_await find_replica(txn, options.tables, table, other);
    const ItemKey place = key_of_place(replica->id, place_in_table(key.bytes));
    co_await write_there(txn, *replica, place, after, options.large_items);
  }
}

}  // namespace

Task<void> write_item(store::Transaction& txn, const Table& table, const ItemKey& key, std::optional<ItemView> before,
                      std::optional<ItemView> after, const WriteOptions& options) {
  if (before == after) return Task<void>::ready();
  if (after) check_index_keys(table, before, *after);
  if (table.is_replica()) return write_everywhere(txn, table, key, before, after, options);
  return write_here(txn, table, key, before, after, options);
}

Task<void> copy_item(store::Transaction& txn, const Table& table, const ItemKey& key, ItemView item) {
  if (table.has_local_indexes()) {
    co_await count_change(txn, table, key.bytes, std::nullopt, item, kNoLimitOfBytes, nullptr);
  }
  put_parts(txn, table, key, std::nullopt, item);
}

void write_blindly(store::Transaction& txn, const ItemKey& key, std::optional<ItemView> after) {
  if (after)
    txn.put(key.bytes, after->encoded());
  else
    txn.erase(key.bytes);
}

}  // namespace tidemill::dynamodb
