#include "services/dynamodb/item_collection.h"

#include <stdexcept>
#include <vector>

#include "base/ordered.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/history.h"
#include "services/dynamodb/index_entries.h"
#include "wire/large_work.h"

namespace tidemill::dynamodb {

namespace {

constexpr uint8_t kVersion = 1;

std::string encode(int64_t bytes) {
  std::string counter;
  base::append_u8(counter, kVersion);
  base::append_i64(counter, bytes);
  return counter;
}

int64_t decode(std::string_view counter) {
  base::OrderedReader reader(counter);
  const uint8_t version = reader.u8();
  const int64_t bytes = reader.i64();
  if (!reader.ok() || version != kVersion) throw std::runtime_error("the size of an item collection is damaged");
  return bytes;
}

std::string counter_key(const Table& table, std::string_view key) {
  return moved_to_index(partition_part(key, table.partition.type), kCollectionIndex);
}

int64_t size_of(std::optional<ItemView> item) {
  return item ? static_cast<int64_t>(lang::dynamodb::item_size(*item)) : 0;
}

int64_t growth(const Table& table, std::optional<ItemView> before, std::optional<ItemView> after) {
  int64_t bytes = size_of(after) - size_of(before);
  visit_entry_changes(table, table.local_indexes(), before, after, [&bytes](const EntryChange& change) {
    if (change.place_after) bytes += size_of(change.after);
    if (change.place_before) bytes -= size_of(change.before);
  });
  return bytes;
}

// What a collection without a counter holds.
Task<int64_t> counted_anew(store::Snapshot& snapshot, const Table& table, std::string_view key) {
  const std::string_view place = partition_part(key, table.partition.type);
  int64_t bytes = 0;
  const store::EntryVisitor visit = [&bytes](std::string_view, std::string_view value) {
    bytes += size_of(ItemView(value));
    return true;
  };
  std::vector<uint16_t> parts{kTableIndex};
  for (const Index& index : table.local_indexes()) parts.push_back(index.number);
  for (const uint16_t part : parts) {
    const store::Range range = store::Range::prefix(moved_to_index(place, part));
    co_await snapshot.scan(range, store::Direction::forward, visit);
  }
  co_return bytes;
}

// Of a table that a binary may have made that knows nothing of counters: it must not write its items any more.
void note_counters(store::Transaction& txn, const Table& table) {
  if (table.collection_counts != Table::CollectionCounts::none) return;
  Table noted = table;
  noted.collection_counts = Table::CollectionCounts::some;
  save_table(txn, noted);
}

}  // namespace

std::string queue_key(const Table& table, std::string_view key) {
  const std::string_view part = table.has_local_indexes() ? partition_part(key, table.partition.type) : key;
  return table.is_replica() ? key_at_place(table.replication.group, place_in_table(part)) : std::string(part);
}

Task<void> count_change(store::Transaction& txn, const Table& table, std::string_view key,
                        std::optional<ItemView> before, std::optional<ItemView> after, int64_t bytes_max,
                        base::BlockingWork* large_items) {
  const size_t stored = (before ? before->encoded().size() : 0) + (after ? after->encoded().size() : 0);
  const int64_t grows_by =
      co_await wire::do_large_joined(large_items, stored, [&] { return growth(table, before, after); });
  if (grows_by == 0) co_return;
  const int64_t bytes = co_await collection_bytes(txn, table, key) + grows_by;
  if (grows_by > 0 && bytes > bytes_max) throw collection_too_large();
  note_counters(txn, table);
  const std::string counter = counter_key(table, key);
  if (bytes > 0) txn.put(counter, encode(bytes));
  else txn.erase(counter);
}

Task<int64_t> collection_bytes(store::Snapshot& snapshot, const Table& table, std::string_view key) {
  if (const auto counter = co_await snapshot.get(counter_key(table, key))) co_return decode(*counter);
  if (table.collection_counts == Table::CollectionCounts::all) co_return 0;
  co_return co_await counted_anew(snapshot, table, key);
}

}  // namespace tidemill::dynamodb
