#include "services/dynamodb/table_copy.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/ordered.h"
#include "services/dynamodb/index_entries.h"
#include "services/dynamodb/item_collection.h"
#include "services/dynamodb/sequence_number.h"
#include "services/dynamodb/table_description.h"
#include "store/keys.h"

namespace tidemill::dynamodb {

namespace {

using Phase = TableCopy::Phase;

constexpr uint8_t kFormatVersion = 1;
constexpr uint8_t kFormatVersionOfChanges = 2;  // with `until`

// An index's number that no index has: which places of the target have been set back already.
constexpr uint16_t kNotes = 0xfffe;
// Another: what collecting has found.
constexpr uint16_t kChangedItems = 0xfffc;

std::string prefix_of(const TableId& target, uint16_t index) {
  std::string key(1, static_cast<char>(store::KeySpace::item));
  base::append_fixed(key, target.view());
  base::append_u16(key, index);
  return key;
}

std::string notes_prefix(const TableId& target) { return prefix_of(target, kNotes); }

struct Change {
  std::string place;
  std::optional<std::string> item;  // that is to stand there; while collecting: that stood there
  store::Version version;           // of a change from the history
};

// When an item changed last, and what it was before its first change.
std::string encode(const ChangedItem& item) {
  std::string bytes;
  base::append_i64(bytes, item.last_change.time_since_epoch().count());
  base::append_u8(bytes, item.before.has_value());
  if (item.before) base::append_fixed(bytes, *item.before);
  return bytes;
}

// Of the places that a step looks up.
constexpr size_t kChangedItemsPerStep = kCopyItemsMax;

struct Step {
  std::vector<Change> changes;
  size_t bytes = 0;
  bool complete = true;  // the phase ends with it

  [[nodiscard]] bool is_full() const { return changes.size() >= kCopyItemsMax || bytes >= kCopyBytesMax; }
  void add(std::string_view place, std::optional<std::string_view> item, store::Version version = {}) {
    bytes += place.size() + (item ? item->size() : 0);
    changes.push_back({std::string(place), item ? std::optional<std::string>(*item) : std::nullopt, version});
  }
};

Task<Step> read_items(store::Snapshot& snapshot, TableCopy& copy) {
  Step step;
  store::Range range = segment_range(copy.source, 0, 1);
  if (!copy.cursor.empty()) range.begin = key_at_place(copy.source, copy.cursor) + '\0';
  const store::EntryVisitor visit = [&](std::string_view key, std::string_view item) {
    step.complete = !step.is_full();
    if (!step.complete) return false;
    step.add(place_in_table(key), item);
    return true;
  };
  co_await snapshot.scan(range, store::first(kCopyItemsMax + 1), visit);
  if (!step.changes.empty()) copy.cursor = step.changes.back().place;
  copy.copied = snapshot.version();
  co_return step;
}

// The items that changed, as they are.
Task<Step> read_changed_items(store::Snapshot& snapshot, TableCopy& copy) {
  Step step;
  std::vector<std::string> places;
  store::Range range = changed_items_range(copy.target);
  if (!copy.cursor.empty()) range.begin = changed_item_key(copy.target, copy.cursor) + '\0';
  const store::EntryVisitor visit = [&](std::string_view key, std::string_view) {
    step.complete = places.size() < kChangedItemsPerStep;
    if (step.complete) places.emplace_back(place_in_table(key));
    return step.complete;
  };
  co_await snapshot.scan(range, store::first(kChangedItemsPerStep + 1), visit);
  for (const std::string& place : places) {
    if (step.is_full()) {
      step.complete = false;
      break;
    }
    const std::string key = key_at_place(copy.source, place);
    const auto item = co_await snapshot.get(key);
    step.add(place, item ? std::optional<std::string_view>(*item) : std::nullopt);
  }
  if (!step.changes.empty()) copy.cursor = step.changes.back().place;
  copy.copied = snapshot.version();
  co_return step;
}

// Up to the version `last`.
Task<Step> read_history(store::Snapshot& snapshot, TableCopy& copy, store::Version last) {
  Step step;
  size_t records = 0;
  const store::RecordVisitor visit = [&](store::Position position, std::string_view bytes) {
    if (position.version > last) return false;
    step.complete = !step.is_full() && records < kCopyItemsMax;
    if (!step.complete) return false;
    const auto record = decode_history(bytes);
    if (!record) throw std::runtime_error("a record of a table's history is damaged");
    ++records;
    copy.since = position;
    if (record->is_marker) {
      if (record->marker == copy.marker) copy.marker.clear();
      return true;
    }
    if (!copy.marker.empty()) return true;  // it came before the moment
    std::optional<std::string_view> before;
    if (record->before) before = record->before->encoded();
    step.add(record->place, before, position.version);
    return true;
  };
  co_await snapshot.read_log(history_log(copy.source), {copy.since, kCopyItemsMax + 1}, visit);
  co_return step;
}

void count(TableCopy& copy, std::optional<ItemView> item, int64_t sign) {
  if (!item) return;
  copy.items += sign;
  copy.bytes += sign * (static_cast<int64_t>(lang::dynamodb::item_size(*item)) + kItemOverheadBytes);
}

Task<void> put(store::Transaction& txn, TableCopy& copy, const Table* target, const Change& change,
               std::optional<ItemView> before) {
  std::optional<ItemView> after;
  if (change.item) after = ItemView(*change.item);
  if (before == after) co_return;
  const std::string key = key_at_place(copy.target, change.place);
  if (target && target->has_local_indexes()) {
    // The source kept the limit, or is from before it was kept.
    co_await count_change(txn, *target, key, before, after, std::numeric_limits<int64_t>::max(), nullptr);
  }
  if (after)
    txn.put(key, after->encoded());
  else
    txn.erase(key);
  if (target) write_entries(txn, *target, before, after);
  count(copy, before, -1);
  count(copy, after, +1);
}

Task<void> collect(store::Transaction& txn, const TableCopy& copy, const Change& change) {
  const std::string key = changed_item_key(copy.target, change.place);
  ChangedItem item{.before = change.item};
  if (const auto noted = co_await txn.get(key)) item = decode_changed_item(*noted);
  item.last_change = change.version.time();
  txn.put(key, encode(item));
}

// Sets an item back unless a record before has done so.
Task<void> undo(store::Transaction& txn, TableCopy& copy, const Table* target, const Change& change) {
  if (copy.only_changes) {
    const std::string key = changed_item_key(copy.target, change.place);
    if (!co_await txn.get(key)) co_return;
  }
  const std::string note = notes_prefix(copy.target) + change.place;
  if (co_await txn.get(note)) co_return;
  txn.put(note, "");
  const auto stored = co_await txn.get(key_at_place(copy.target, change.place));
  std::optional<ItemView> before;
  if (stored) before = ItemView(*stored);
  co_await put(txn, copy, target, change, before);
}

Task<Step> read_step(store::Snapshot& snapshot, TableCopy& copy) {
  switch (copy.phase) {
    case Phase::collecting:
      return read_history(snapshot, copy, copy.until.version);
    case Phase::copying:
      return copy.only_changes ? read_changed_items(snapshot, copy) : read_items(snapshot, copy);
    default:
      return read_history(snapshot, copy, copy.copied);
  }
}

void end_phase(TableCopy& copy) {
  if (copy.phase == Phase::collecting) {
    copy.phase = Phase::copying;
    copy.since = copy.until;
  } else {
    copy.phase = copy.phase == Phase::copying && copy.with_history ? Phase::undoing : Phase::done;
  }
}

}  // namespace

std::string TableCopy::encode() const {
  std::string bytes;
  base::append_u8(bytes, only_changes ? kFormatVersionOfChanges : kFormatVersion);
  base::append_u8(bytes, static_cast<uint8_t>(phase));
  base::append_fixed(bytes, source.view());
  base::append_fixed(bytes, target.view());
  base::append_u8(bytes, with_history);
  base::append_fixed(bytes, since.encode());
  if (only_changes) base::append_fixed(bytes, until.encode());
  base::append_string(bytes, marker);
  base::append_u64(bytes, copied.value);
  base::append_i64(bytes, items);
  base::append_i64(bytes, this->bytes);
  base::append_fixed(bytes, cursor);
  return bytes;
}

std::optional<TableCopy> TableCopy::decode(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const uint8_t version = reader.u8();
  if (version != kFormatVersion && version != kFormatVersionOfChanges) return std::nullopt;
  TableCopy copy{.phase = static_cast<Phase>(reader.u8()), .only_changes = version == kFormatVersionOfChanges};
  const auto id = [&reader](TableId& out) {
    const std::string_view part = reader.fixed(TableId::kSize);
    if (part.size() == TableId::kSize) std::ranges::copy(part, out.bytes.begin());
  };
  id(copy.source);
  id(copy.target);
  copy.with_history = reader.u8() != 0;
  const auto since = store::Position::decode(reader.fixed(store::Position::kEncodedSize));
  if (copy.only_changes) {
    copy.until = store::Position::decode(reader.fixed(store::Position::kEncodedSize)).value_or(store::Position());
  }
  copy.marker = reader.string();
  copy.copied = {reader.u64()};
  copy.items = reader.i64();
  copy.bytes = reader.i64();
  copy.cursor = reader.rest();
  if (!reader.ok() || !since || copy.phase > Phase::collecting) return std::nullopt;
  copy.since = *since;
  return copy;
}

TableCopy copy_as_of_now(store::Transaction& txn, const TableId& source, const TableId& target,
                         std::string_view marker) {
  append_marker(txn, source, marker);
  return {.source = source,
          .target = target,
          .with_history = true,
          .since = after_version(txn.version()),
          .marker = std::string(marker)};
}

Task<void> advance_copy(store::Store& store, const store::Timer& timer, TableCopy copy, const Table* target) {
  // Outside the transaction: what is read here cannot conflict with the table's writers, since undoing puts right
  // whatever they do meanwhile.
  const auto snapshot = store.snapshot();
  const Step step = co_await read_step(*snapshot, copy);
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    TableCopy next = copy;
    for (const Change& change : step.changes) {
      if (copy.phase == Phase::collecting)
        co_await collect(txn, copy, change);
      else if (copy.phase == Phase::copying)
        co_await put(txn, next, target, change, std::nullopt);
      else
        co_await undo(txn, next, target, change);
    }
    if (step.complete) end_phase(next);
    store::Timer again = timer;
    again.payload = next.encode();
    co_await store::set_timer(txn, again);
  });
}

store::Range changed_items_range(const TableId& target) {
  return store::Range::prefix(prefix_of(target, kChangedItems));
}

std::string changed_item_key(const TableId& target, std::string_view place) {
  return prefix_of(target, kChangedItems).append(place);
}

ChangedItem decode_changed_item(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  ChangedItem item{.last_change = base::Time(base::Duration(reader.i64()))};
  if (reader.u8() != 0) item.before = reader.rest();
  return item;
}

void erase_copy_notes(store::Transaction& txn, const TableCopy& copy) {
  txn.erase_range(store::Range::prefix(notes_prefix(copy.target)));
}

}  // namespace tidemill::dynamodb
