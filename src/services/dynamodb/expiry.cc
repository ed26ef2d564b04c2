#include "services/dynamodb/expiry.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/crc32.h"
#include "base/ordered.h"
#include "services/dynamodb/table_metrics.h"
#include "services/dynamodb/write_item.h"
#include "store/keys.h"

namespace tidemill::dynamodb {

namespace {

using std::chrono::seconds;

// Keeps every due time within what base::Time holds.
constexpr int64_t kSecondsMax = 253'402'300'800;  // the year 10000

std::string entries_prefix(const TableId& table) {
  std::string key(1, static_cast<char>(store::KeySpace::item));
  base::append_fixed(key, table.view());
  base::append_u16(key, kExpiryIndex);
  return key;
}

int64_t second_of(base::Time due) { return std::chrono::floor<seconds>(due).time_since_epoch().count(); }

// When an item that is due then goes. Always the same of an item, so that its entry is found again.
base::Time goes_at(const Table& table, base::Time due, std::string_view place) {
  if (!expires_lazily(table)) return due;
  return due + seconds(base::crc32(place) % std::chrono::seconds(kLazinessMax).count());
}

std::string entry_key(const Table& table, base::Time due, std::string_view place) {
  std::string key = entries_prefix(table.id);
  base::append_i64(key, second_of(goes_at(table, due, place)));
  base::append_fixed(key, place);
  return key;
}

// The entries of one second. Each second has a timer of its own, so that handlers of several work beside each other and
// never look at the same entries.
store::Range due_entries(const TableId& table, base::Time due) {
  store::Range range{entries_prefix(table), entries_prefix(table)};
  base::append_i64(range.begin, second_of(due));
  base::append_i64(range.end, second_of(due) + 1);
  return range;
}

store::Timer expiry_timer(const Table& table, base::Time due) {
  std::string id(table.id.view());
  base::append_i64(id, second_of(due));
  return {.kind = std::string(kExpiryTimer.name), .id = std::move(id), .due = due, .payload = table.address.arn()};
}

void put_entry(store::Transaction& txn, const Table& table, std::string_view place, base::Time due) {
  txn.put(entry_key(table, due, place), "");
  store::put_timer(txn, expiry_timer(table, goes_at(table, due, place)));
}

// Fewer at a time after each race lost to a writer of one of the items.
size_t batch_size(size_t most, int attempt) { return std::max<size_t>(1, most >> std::min(attempt, 16)); }

struct Entry {
  std::string key;
  base::Time time;  // when the item goes
  std::string place;
};

Entry decode_entry(const TableId& table, std::string_view key) {
  base::OrderedReader reader(key.substr(entries_prefix(table).size()));
  const base::Time time{seconds(reader.i64())};
  return {std::string(key), time, std::string(reader.rest())};
}

// Whether there was something to expire.
Task<bool> expire_one(store::Transaction& txn, const Table& table, const Entry& entry, base::Time now) {
  const ItemKey key = key_of_place(table.id, entry.place);
  const auto stored = co_await txn.get(key.bytes);
  std::optional<ItemView> item;
  if (stored) item = ItemView(*stored);
  const auto due = item ? expiry_of(table.features.time_to_live, *item) : std::nullopt;
  if (due && goes_at(table, *due, entry.place) == entry.time && *due >= now - kExpiryAgeMax) {
    co_await write_item(txn, table, key, item, std::nullopt, {.cause = Cause::expiry});  // and its entry
    co_return true;
  }
  txn.erase(entry.key);
  co_return false;
}

// The state of a backfill: the table's id, and the place it has come to.
struct Backfill {
  TableId table;
  std::string place;

  [[nodiscard]] std::string encode() const { return std::string(table.view()) + place; }
  static std::optional<Backfill> decode(std::string_view bytes) {
    if (bytes.size() < TableId::kSize) return std::nullopt;
    Backfill state{.place = std::string(bytes.substr(TableId::kSize))};
    std::ranges::copy(bytes.substr(0, TableId::kSize), state.table.bytes.begin());
    return state;
  }
};

// Gives entries to the next items. True: that was all.
Task<bool> backfill_some(store::Transaction& txn, const Table& table, Backfill& state) {
  const size_t most = batch_size(kBackfilledPerCommit, txn.attempt);
  store::Range range = segment_range(table.id, 0, 1);
  if (!state.place.empty()) range.begin = key_at_place(table.id, state.place) + '\0';
  std::vector<std::pair<std::string, base::Time>> due;
  size_t seen = 0;
  bool complete = true;
  const store::EntryVisitor visit = [&](std::string_view key, std::string_view item) {
    complete = seen < most;
    if (!complete) return false;
    ++seen;
    state.place = place_in_table(key);
    if (const auto time = expiry_of(table.features.time_to_live, ItemView(item))) due.emplace_back(state.place, *time);
    return true;
  };
  co_await txn.scan(range, store::first(most + 1), visit);
  for (const auto& [place, time] : due) put_entry(txn, table, place, time);
  co_return complete;
}

}  // namespace

bool expires_lazily(const Table& table) {
  if (table.tags.empty()) return false;
  const auto tag = table.tags.find(std::string(kExpiryTag));
  return tag != table.tags.end() && tag->second == kLazyExpiry;
}

std::optional<base::Time> expiry_of(const TimeToLive& time_to_live, ItemView item) {
  const auto value = item.find(time_to_live.attribute);
  if (!value || value->type() != Type::N) return std::nullopt;
  const base::Decimal number = value->number();
  if (number.is_negative()) return std::nullopt;
  int64_t second = number.floor_to_int64();
  if (second >= kSecondsMax) return std::nullopt;
  if (base::Decimal(second) != number) ++second;
  return base::Time(seconds(second));
}

void move_expiry(store::Transaction& txn, const Table& table, std::string_view key, std::optional<ItemView> before,
                 std::optional<ItemView> after) {
  const TimeToLive& ttl = table.features.time_to_live;
  if (!ttl.enabled) return;
  const auto due_before = before ? expiry_of(ttl, *before) : std::nullopt;
  const auto due_after = after ? expiry_of(ttl, *after) : std::nullopt;
  if (due_before == due_after) return;
  const std::string_view place = place_in_table(key);
  if (due_before) txn.erase(entry_key(table, *due_before, place));
  if (due_after) put_entry(txn, table, place, *due_after);
}

Task<void> start_expiring(store::Transaction& txn, const Table& table, base::Time now) {
  const store::Timer timer{.kind = std::string(kExpiryBackfillTimer.name),
                           .id = table.address.arn(),
                           .due = now,
                           .payload = Backfill{.table = table.id}.encode()};
  co_await store::set_timer(txn, timer);
}

Task<void> stop_expiring(store::Transaction& txn, const Table& table) {
  // The timers find no entries when they are due.
  txn.erase_range(store::Range::prefix(entries_prefix(table.id)));
  co_await store::cancel_timer(txn, kExpiryBackfillTimer, table.address.arn());
}

Task<void> Expiry::expire(const store::Timer& timer) {
  const auto address = parse_table_arn(timer.payload);
  const base::Time now = clock_.now();
  for (bool more = true; more;) {
    int expired = 0;
    more = co_await store_.transact([&](store::Transaction& txn) -> Task<bool> {
      expired = 0;
      std::optional<Table> table;
      if (address) table = co_await load_table(txn, *address);
      const bool stands = table && table->features.time_to_live.enabled && timer.id.starts_with(table->id.view());
      const size_t most = batch_size(kExpiredPerCommit, txn.attempt);
      std::vector<Entry> entries;
      if (stands) {
        const store::EntryVisitor visit = [&](std::string_view key, std::string_view) {
          entries.push_back(decode_entry(table->id, key));
          return true;
        };
        co_await txn.scan(due_entries(table->id, timer.due), store::first(most), visit);
      }
      for (const Entry& entry : entries) {
        if (co_await expire_one(txn, *table, entry, now)) ++expired;
      }
      const bool again = stands && entries.size() == most;
      if (!again) (void)co_await store::finish_timer(txn, timer);
      co_return again;
    });
    for (int i = 0; lag_ && i < expired; ++i) lag_->observe(clock_.now() - timer.due);
    if (expired > 0) co_await note_write_(*address);
    if (expired > 0 && usage_) {
      usage_->add(kTimeToLiveDeleted, address->account, address->region, address->name, expired);
    }
  }
}

Task<void> Expiry::backfill(const store::Timer& timer) {
  const auto address = parse_table_arn(timer.id);
  const auto state = Backfill::decode(timer.payload);
  if (!address || !state) throw std::runtime_error("the state of a time to live's backfill is damaged");
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    std::optional<Table> table = co_await load_table(txn, *address);
    if (!table || table->id != state->table || !table->features.time_to_live.enabled) co_return;
    Backfill next = *state;
    if (co_await backfill_some(txn, *table, next)) {
      table->features.time_to_live.complete = true;
      save_table(txn, *table);
      co_return;
    }
    store::Timer again = timer;
    again.payload = next.encode();
    co_await store::set_timer(txn, again);
  });
}

}  // namespace tidemill::dynamodb
