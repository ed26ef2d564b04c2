// What streams forget: records past their stream's retention, and closed shards that can have no others.
//
// What readers may see is decided by times alone (Stream::horizon), exact to the microsecond. The timer here only gives
// the space back, so it runs as housekeeping, and there is none where nothing is to be trimmed.
#pragma once

#include "base/clock.h"
#include "services/kinesis/stream.h"
#include "store/store.h"
#include "store/timer.h"

namespace tidemill::kinesis {

inline constexpr store::TimerKind kTrimTimer{"kinesis-trim"};  // id: the stream's ARN

// Records after this position can be read at `now`; those up to it are trimmed.
[[nodiscard]] store::Position oldest_readable(const Stream& stream, base::Time now);

// After the retention was made shorter: what is to be trimmed is to be trimmed earlier.
Task<void> hasten_trim(store::Transaction& txn, const Stream& stream, base::Time now);

class Retention {
 public:
  // Both must outlive this.
  Retention(store::Store& store, base::Clock& clock) : store_(store), clock_(clock) {}

  // After a write to the stream has committed: makes sure that there is a timer that will trim it. Does not throw.
  Task<void> note_write(StreamPtr stream) {
    if (stream->has_trim_timer->load(std::memory_order_relaxed)) return Task<void>::ready();
    return set_timer(std::move(stream));
  }

  // The handler of the timer. Running one again does no harm.
  Task<void> trim(const store::Timer& timer);

 private:
  Task<void> set_timer(StreamPtr stream);

  store::Store& store_;
  base::Clock& clock_;
};

}  // namespace tidemill::kinesis
