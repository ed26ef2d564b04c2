#include "services/dynamodb/replica_fill.h"

#include <algorithm>
#include <utility>

#include "base/ordered.h"
#include "services/dynamodb/history.h"
#include "services/dynamodb/write_item.h"

namespace tidemill::dynamodb {

namespace {

// Where the filling is: the timer's payload.
struct FillProgress {
  TableAddress replica;
  TableAddress source;
  std::string next;  // the place of the item to go on from; empty: from the beginning
};

std::string encode_progress(const FillProgress& progress) {
  std::string payload;
  base::append_string(payload, progress.replica.arn());
  base::append_string(payload, progress.source.arn());
  base::append_fixed(payload, progress.next);
  return payload;
}

std::optional<FillProgress> decode_progress(std::string_view payload) {
  base::OrderedReader reader(payload);
  auto replica = parse_table_arn(reader.string());
  auto source = parse_table_arn(reader.string());
  const std::string_view next = reader.rest();
  if (!reader.ok() || !replica || !source) return std::nullopt;
  return FillProgress{*std::move(replica), *std::move(source), std::string(next)};
}

struct FilledItem {
  std::string place;
  std::string item;
};

// The items from `next` on, which becomes where to go on; nothing if these are the last.
Task<std::vector<FilledItem>> next_items(store::Transaction& txn, const Table& source,
                                         std::optional<std::string>& next) {
  // A batch that lost races against writers gets smaller, down to one item.
  const size_t items_max = std::max<size_t>(1, kFillItemsMax >> std::min(2 * txn.attempt, 32));
  store::Range range = segment_range(source.id, 0, 1);
  if (!next->empty()) range.begin = key_at_place(source.id, *next);
  next.reset();
  std::vector<FilledItem> items;
  size_t bytes = 0;
  const store::EntryVisitor visit = [&](std::string_view key, std::string_view value) {
    if (items.size() >= items_max || bytes >= kFillBytesMax) {
      next = std::string(place_in_table(key));
      return false;
    }
    bytes += value.size();
    items.push_back({std::string(place_in_table(key)), std::string(value)});
    return true;
  };
  co_await txn.scan(range, store::first(items_max + 1), visit);
  co_return items;
}

// What is there was written by a writer, who has written the same everywhere.
Task<void> copy_missing(store::Transaction& txn, const Table& replica, const std::vector<FilledItem>& items) {
  for (const FilledItem& each : items) {
    const ItemKey key = key_of_place(replica.id, each.place);
    if (!co_await txn.get(key.bytes)) co_await copy_item(txn, replica, key, ItemView(each.item));
  }
}

}  // namespace

Task<void> start_fill(store::Transaction& txn, const Table& source, const Table& replica, base::Time now) {
  const FillProgress progress{.replica = replica.address, .source = source.address, .next = ""};
  const store::Timer timer{.kind = std::string(kReplicaFillTimer.name),
                           .id = replica.id.uuid(),
                           .due = now,
                           .payload = encode_progress(progress)};
  co_await store::set_timer(txn, timer);
}

Task<void> fill_replica(store::Store& store, base::Clock& clock, const store::Timer& timer) {
  const std::optional<FillProgress> progress = decode_progress(timer.payload);
  const base::Time now = clock.now();
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer) || !progress) co_return;
    std::optional<Table> replica = co_await load_table(txn, progress->replica);
    const std::optional<Table> source = co_await load_table(txn, progress->source);
    if (!source || !replica || replica->id.uuid() != timer.id || !replica->features.is_new_replica) co_return;
    std::optional<std::string> next = progress->next;
    const std::vector<FilledItem> items = co_await next_items(txn, *source, next);
    co_await copy_missing(txn, *replica, items);
    if (!next) {
      replica->features.is_new_replica = false;
      save_table(txn, *replica);
      co_return;
    }
    FillProgress further = *progress;
    further.next = *std::move(next);
    store::Timer again = timer;
    again.due = now;
    again.payload = encode_progress(further);
    co_await store::set_timer(txn, again);
  });
}

}  // namespace tidemill::dynamodb
