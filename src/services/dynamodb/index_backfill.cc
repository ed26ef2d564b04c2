#include "services/dynamodb/index_backfill.h"

#include <algorithm>

#include "base/ordered.h"
#include "services/dynamodb/index_entries.h"

namespace tidemill::dynamodb {

namespace {

// Where the backfill is: the timer's payload.
struct Progress {
  TableAddress table;
  TableId id;
  uint16_t index = 0;
  std::string next;  // the key of the table to go on from; empty: from the beginning
};

std::string timer_id(const Table& table, const Index& index) {
  return table.id.uuid() + "/" + std::to_string(index.number);
}

std::string encode(const Progress& progress) {
  std::string payload;
  base::append_string(payload, progress.table.account);
  base::append_string(payload, progress.table.region);
  base::append_string(payload, progress.table.name);
  base::append_fixed(payload, progress.id.view());
  base::append_u16(payload, progress.index);
  base::append_fixed(payload, progress.next);
  return payload;
}

std::optional<Progress> decode(std::string_view payload) {
  base::OrderedReader reader(payload);
  Progress progress;
  progress.table.account = reader.string();
  progress.table.region = reader.string();
  progress.table.name = reader.string();
  const std::string_view id = reader.fixed(TableId::kSize);
  std::copy_n(id.begin(), std::min(id.size(), TableId::kSize), progress.id.bytes.begin());
  progress.index = reader.u16();
  progress.next = reader.rest();
  if (!reader.ok()) return std::nullopt;
  return progress;
}

// The index that is to be filled; nullptr if it is gone, or done.
Index* index_of(std::optional<Table>& table, const Progress& progress) {
  if (!table || table->id != progress.id) return nullptr;
  const auto found = std::ranges::find(table->indexes, progress.index, &Index::number);
  return found == table->indexes.end() || found->status != Index::Status::creating ? nullptr : &*found;
}

struct Entry {
  std::string key;
  std::string value;
};

// The entries of the items from `progress.next` on, which becomes where to go on; nothing if the table is at its end.
Task<std::vector<Entry>> next_entries(store::Transaction& txn, const Table& table, const Index& index,
                                      std::optional<std::string>& next) {
  // A batch that lost races against writers gets smaller, down to one item.
  const size_t items_max = std::max<size_t>(1, kBackfillItemsMax >> std::min(2 * txn.attempt, 32));
  std::vector<Entry> entries;
  store::Range range = segment_range(table.id, 0, 1);
  if (!next->empty()) range.begin = *next;
  next.reset();
  size_t items = 0;
  size_t bytes = 0;
  const store::EntryVisitor visit = [&](std::string_view key, std::string_view value) {
    if (items >= items_max || bytes >= kBackfillBytesMax) {
      next = std::string(key);
      return false;
    }
    ++items;
    bytes += value.size();
    const ItemView item(value);
    Item storage;
    if (auto place = entry_place(table, index, item)) {
      entries.push_back({std::move(place->bytes), std::string(projected_part(index, item, storage).encoded())});
    }
    return true;
  };
  co_await txn.scan(range, store::first(items_max + 1), visit);
  co_return entries;
}

}  // namespace

Task<void> start_backfill(store::Transaction& txn, const Table& table, const Index& index, base::Time now) {
  const Progress progress{.table = table.address, .id = table.id, .index = index.number};
  const store::Timer timer{.kind = std::string(kBackfillTimer.name),
                           .id = timer_id(table, index),
                           .due = now,
                           .payload = encode(progress)};
  co_await store::set_timer(txn, timer);
}

Task<void> cancel_backfill(store::Transaction& txn, const Table& table, const Index& index) {
  const std::string id = timer_id(table, index);
  co_await store::cancel_timer(txn, kBackfillTimer, id);
}

Task<void> backfill(store::Store& store, base::Clock& clock, const store::Timer& timer) {
  const std::optional<Progress> progress = decode(timer.payload);
  const base::Time now = clock.now();
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer) || !progress) co_return;
    std::optional<Table> table = co_await load_table(txn, progress->table);
    Index* index = index_of(table, *progress);
    if (!index) co_return;
    std::optional<std::string> next = progress->next;
    const std::vector<Entry> entries = co_await next_entries(txn, *table, *index, next);
    for (const Entry& entry : entries) txn.put(entry.key, entry.value);
    if (!next) {
      index->status = Index::Status::active;
      save_table(txn, *table);
      co_return;
    }
    Progress further = *progress;
    further.next = *std::move(next);
    store::Timer again = timer;
    again.due = now;
    again.payload = encode(further);
    co_await store::set_timer(txn, again);
  });
}

}  // namespace tidemill::dynamodb
