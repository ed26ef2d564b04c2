// What an archive is: the events of a bus, kept to be put on it again. KeySpace::resource, (account, region, "events",
// "archive", name), as JSON; its events in a log of their own, in the order in which they came, and their number and
// bytes under KeySpace::tally.
//
//   timer "events-archive-trim"    id: the archive's ARN; drops what has been kept long enough
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "engine/timer_service.h"
#include "services/events/address.h"
#include "store/store.h"

namespace tidemill::events {

inline constexpr size_t kArchiveIdSize = 36;  // a UUID's

struct ArchiveAddress {
  std::string account;
  std::string region;
  std::string name;

  [[nodiscard]] std::string arn() const;
};

struct Archive {
  ArchiveAddress address;
  std::string id;  // an archive that is made again has another
  BusAddress bus;
  std::string description;
  std::string event_pattern;   // empty: all events
  int64_t retention_days = 0;  // 0: for good
  base::Time created;
};

struct ArchiveCounts {
  int64_t events = 0;
  int64_t bytes = 0;
};

[[nodiscard]] std::optional<ArchiveAddress> parse_archive_arn(std::string_view arn);
[[nodiscard]] store::Range archives_range(std::string_view account, std::string_view region, std::string_view prefix);
// Throws std::runtime_error if the key is not one of an archive, or the bytes are damaged.
[[nodiscard]] Archive decode_archive(std::string_view key, std::string_view bytes);

// Nothing: there is no such archive. Tracked in a transaction.
Task<std::optional<Archive>> find_archive(store::Snapshot& reader, ArchiveAddress address);
// The same; throws ResourceNotFoundException.
Task<Archive> load_archive(store::Snapshot& reader, ArchiveAddress address);
// With a new edition of the bus's rules, if there still is such a bus: what is archived is matched as they are.
Task<void> save_archive(store::Transaction& txn, Archive archive);
// With all its events.
Task<void> erase_archive(store::Transaction& txn, Archive archive);

[[nodiscard]] store::LogId archive_log(std::string_view archive_id);
// In the transaction that takes the event.
void keep_event(store::Transaction& txn, std::string_view archive_id, std::string_view event);
Task<ArchiveCounts> count_events(store::Snapshot& reader, std::string archive_id);

// Sets or takes away the archive's timer.
Task<void> plan_trim(store::Transaction& txn, const Archive& archive, base::Time now);
// Before the timers start.
void trim_archives_by(engine::TimerService& timers, store::Store& store, base::Clock& clock);

}  // namespace tidemill::events
