// The timer primitive: a durable (due time, kind, id) whose handler runs once it is due, at least once, also after a
// restart. This file keeps timers in the store; engine/timer_service.h runs them.
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
};

// Sets the timer (kind, id), replacing the one that was there.
Task<void> set_timer(Transaction& txn, const Timer& timer);

// Removes it; nothing happens if there is none.
Task<void> cancel_timer(Transaction& txn, TimerKind kind, std::string_view id);

// When it is due; nothing if there is none.
Task<std::optional<base::Time>> timer_due(Transaction& txn, TimerKind kind, std::string_view id);

// Removes `timer` if it still is as given: what a handler calls in the transaction that does its work. False: it has
// been cancelled or set anew, and the work is not wanted any more.
Task<bool> finish_timer(Transaction& txn, const Timer& timer);

// Timers with due <= `until`, earliest first, at most `limit`.
Task<std::vector<Timer>> due_timers(Snapshot& snapshot, base::Time until, size_t limit);

// The earliest due time of all.
Task<std::optional<base::Time>> next_timer_due(Snapshot& snapshot);

// Signalled by each set_timer.
inline constexpr std::string_view kTimersTopic = "timers";

}  // namespace tidemill::store
