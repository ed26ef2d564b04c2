// What a replay is: events of an archive on their way to their bus once more. KeySpace::resource, (account, region,
// "events", "replay", name), as JSON. It goes on a slice at a time; how far it is stands in its record and is written
// in the transaction that routes the slice, so that a crash neither loses nor repeats anything.
//
//   timer "events-replay"    id: the replay's ARN; stands while there is something to do
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/timer_service.h"
#include "services/events/archive.h"
#include "services/events/service.h"
#include "store/store.h"

namespace tidemill::events {

struct ReplayAddress {
  std::string account;
  std::string region;
  std::string name;

  [[nodiscard]] std::string arn() const;
};

struct Replay {
  ReplayAddress address;
  std::string description;
  std::string state;  // as the API names them
  std::string state_reason;
  ArchiveAddress archive;
  std::string archive_id;
  BusAddress bus;
  std::vector<std::string> only_rules;  // ARNs; empty: all
  base::Time from;                      // of the events
  base::Time until;
  store::Position done;  // up to and with this one
  std::optional<base::Time> last_replayed;
  base::Time started;
  std::optional<base::Time> ended;

  [[nodiscard]] bool is_active() const;
};

[[nodiscard]] store::Range replays_range(std::string_view account, std::string_view region, std::string_view prefix);
// Throws std::runtime_error if the key is not one of a replay, or the bytes are damaged.
[[nodiscard]] Replay decode_replay(std::string_view key, std::string_view bytes);

// Nothing: there is no such replay. Tracked in a transaction.
Task<std::optional<Replay>> find_replay(store::Snapshot& reader, ReplayAddress address);
// The same; throws ResourceNotFoundException.
Task<Replay> load_replay(store::Snapshot& reader, ReplayAddress address);
// While it is active, its timer is set for now.
Task<void> save_replay(store::Transaction& txn, const Replay& replay, base::Time now);

// Before the timers start.
void run_replays_by(engine::TimerService& timers, Service& service);

}  // namespace tidemill::events
