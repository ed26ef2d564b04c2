// Items that expire: each item whose time-to-live attribute says when has an entry, in the order of these times, and
// there is a timer for every second in which an entry is due. Both are written in the transaction that writes the item,
// without reading anything, so that writers do not conflict over them; and so an item is deleted within a second of its
// time, also after a crash.
//
// A table with the tag tidemill:ttl=lazy behaves as on AWS instead, so that applications can be tested against it: each
// item goes at a time of its own within kLazinessMax after it was due. Its entry stands at that time.
//
// An entry (docs/store-format.md): the table's prefix, kExpiryIndex as index, the second (i64), the item's place.
#pragma once

#include <functional>
#include <optional>

#include "base/metrics.h"
#include "services/dynamodb/history.h"
#include "store/timer.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::dynamodb {

inline constexpr store::TimerKind kExpiryTimer{"dynamodb-expiry"};  // id: table id, second (i64); payload: table's ARN
inline constexpr store::TimerKind kExpiryBackfillTimer{"dynamodb-expiry-backfill"};  // id: table's ARN; payload: state

inline constexpr uint16_t kExpiryIndex = 0xffff;

// Deleted, or looked at when time to live is enabled, in one transaction; fewer after each race lost.
inline constexpr size_t kExpiredPerCommit = 100;
inline constexpr size_t kBackfilledPerCommit = 500;
// What is older does not expire (developer guide, "Time to live").
inline constexpr std::chrono::days kExpiryAgeMax{5 * 365};

// How late items go on AWS, at most ("typically within two days").
inline constexpr std::chrono::hours kLazinessMax{48};
inline constexpr std::string_view kExpiryTag = "tidemill:ttl";
inline constexpr std::string_view kLazyExpiry = "lazy";
inline constexpr std::string_view kPreciseExpiry = "precise";  // as without the tag
[[nodiscard]] bool expires_lazily(const Table& table);

// When the item is due: its attribute's value rounded up to a second. Nothing if it is no number, or beyond all time.
[[nodiscard]] std::optional<base::Time> expiry_of(const TimeToLive& time_to_live, ItemView item);

// Moves the entry with the change of an item. Part of write_item().
void move_expiry(store::Transaction& txn, const Table& table, std::string_view key, std::optional<ItemView> before,
                 std::optional<ItemView> after);

// With the change of the table's description: has its items looked at; forgets all entries.
Task<void> start_expiring(store::Transaction& txn, const Table& table, base::Time now);
Task<void> stop_expiring(store::Transaction& txn, const Table& table);

// The handlers of the timers. Running one again does no harm.
class Expiry {
 public:
  // What is called after items of a table have gone, as after any write to it (Service::note_write).
  using NoteWrite = std::function<Task<void>(const TableAddress& table)>;

  // All must outlive this; `usage` and `lag` may be null.
  Expiry(store::Store& store, base::Clock& clock, NoteWrite note_write, wire::PlatformMetrics* usage,
         base::Histogram* lag)
      : store_(store), clock_(clock), note_write_(std::move(note_write)), usage_(usage), lag_(lag) {}

  Task<void> expire(const store::Timer& timer);
  Task<void> backfill(const store::Timer& timer);

 private:
  store::Store& store_;
  base::Clock& clock_;
  const NoteWrite note_write_;
  wire::PlatformMetrics* const usage_;
  base::Histogram* const lag_;
};

}  // namespace tidemill::dynamodb
