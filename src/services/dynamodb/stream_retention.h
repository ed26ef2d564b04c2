// Forgets what streams keep no longer: records after 24 hours, and the whole stream 24 hours after its end.
//
// What readers may see is decided by the records' times alone (oldest_readable), exact to the microsecond. The timers
// here only give the space back, so they run as housekeeping, and there is none where nothing is to be trimmed.
#pragma once

#include "base/clock.h"
#include "services/dynamodb/table.h"
#include "store/store.h"
#include "store/timer.h"

namespace tidemill::dynamodb {

inline constexpr store::TimerKind kTrimTimer{"dynamodb-stream-trim"};      // id: the stream's ARN
inline constexpr store::TimerKind kRemovalTimer{"dynamodb-stream-remove"};  // id: the stream's ARN

// Records after this position can be read at `now`; those up to it are trimmed.
[[nodiscard]] store::Position oldest_readable(base::Time now);

// Switches the table's stream off: closes it now, removes it once its records are past retention.
Task<void> end_stream(store::Transaction& txn, Table& table, base::Time now);

class StreamRetention {
 public:
  // Both must outlive this.
  StreamRetention(store::Store& store, base::Clock& clock) : store_(store), clock_(clock) {}

  // After a write to the table has committed: makes sure that there is a timer that will trim it. Does not throw. Where
  // the process was killed in between, the next write does; until then the records take space, and are not readable.
  Task<void> note_write(const Table& table) {
    if (!table.stream || table.stream->retention_set->load(std::memory_order_relaxed)) return Task<void>::ready();
    return set_trim_timer(table);
  }

  // The handlers of the timers. Running one again does no harm.
  Task<void> trim(const store::Timer& timer);
  Task<void> remove(const store::Timer& timer);

 private:
  Task<void> set_trim_timer(const Table& table);

  store::Store& store_;
  base::Clock& clock_;
};

}  // namespace tidemill::dynamodb
