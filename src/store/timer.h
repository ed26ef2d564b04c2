// The timer primitive: a durable (due time, kind, id) whose handler runs once it is due, at least once, also after a
// restart. This file keeps timers in the store; engine/timer_service.h runs them.
//
// Timers of one kind stand together, in order of their due times: each kind is a queue of its own (store/queue.h), and
// one that is full of due timers delays no other. Nobody finds one owner's timers behind another's million, so a kind
// whose handlers may take long for one of many owners has its timers in partitions, each of which is such a queue.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "store/store.h"

namespace tidemill::store {

// What a timer is for; each kind has one handler. Short and stable, since it is stored: "ddb-stream-trim".
struct TimerKind {
  std::string_view name;
};

struct Timer {
  std::string kind;
  std::string id;       // unique within the kind
  base::Time due;
  std::string payload;  // the handler's own
  // Which setting of (kind, id) this is: the store's version when it was set, so that one that is set anew is another,
  // also with the same due time and payload. Zero until it is asked for (identify_timer).
  Version set_at{};
  bool operator==(const Timer&) const = default;
};

// The partitions of such a kind: kinds in the store, as every other. The first is the kind itself, where those stand that
// were set before it had partitions.
inline constexpr size_t kTimerPartitions = 32;
[[nodiscard]] std::string timer_partition(TimerKind kind, size_t partition);  // below kTimerPartitions
// Where the timers of `owner` stand, always: a state machine's ARN, say.
[[nodiscard]] std::string timer_partition_of(TimerKind kind, std::string_view owner);

// Sets the timer (kind, id), replacing the one that was there.
Task<void> set_timer(Transaction& txn, const Timer& timer);

// The same for a timer whose id tells its due time and its payload, so that there never is another of this id: reads
// nothing, and so conflicts with nobody.
void put_timer(Transaction& txn, const Timer& timer);

// Removes it; nothing happens if there is none.
Task<void> cancel_timer(Transaction& txn, TimerKind kind, std::string_view id);

// When it is due; nothing if there is none.
Task<std::optional<base::Time>> timer_due(Transaction& txn, TimerKind kind, std::string_view id);

// Notes in `timer`, as it was found in `snapshot`, which setting it is. False: it does not stand there.
Task<bool> identify_timer(Snapshot& snapshot, Timer& timer);

// Removes `timer` if this setting of it still stands: what a handler calls in the transaction that does its work. False:
// it has been cancelled or set anew, and the work is not wanted any more.
Task<bool> finish_timer(Transaction& txn, const Timer& timer);

// Whether this setting of `timer` still stands.
Task<bool> timer_stands(Snapshot& snapshot, const Timer& timer);

// Timers with due <= `until`, earliest first, at most `limit`: of one kind, or of all.
Task<std::vector<Timer>> due_timers(Snapshot& snapshot, TimerKind kind, base::Time until, size_t limit);
Task<std::vector<Timer>> due_timers(Snapshot& snapshot, base::Time until, size_t limit);

// For who runs the kind: those that are due at `now`, at most `limit`, and when the one behind them is due. Reads no more
// than these, however many wait.
struct DueTimers {
  std::vector<Timer> due;
  std::optional<base::Time> next;
};
Task<DueTimers> look_at_timers(Snapshot& snapshot, TimerKind kind, base::Time now, size_t limit);

// Timers of the kind that are gone leave dead keys, and looks get slower by them: lets looks begin behind those of
// before `until` (store/queue.h). For who runs the kind, once in a while.
Task<void> pass_finished_timers(Store& store, TimerKind kind, base::Time until);

// The earliest due time: of one kind, or of all.
Task<std::optional<base::Time>> next_timer_due(Snapshot& snapshot, TimerKind kind);
Task<std::optional<base::Time>> next_timer_due(Snapshot& snapshot);

// Signalled by each set_timer: the first for all kinds, the second for the timer's own.
inline constexpr std::string_view kTimersTopic = "timers";
[[nodiscard]] std::string timers_topic(TimerKind kind);

}  // namespace tidemill::store
