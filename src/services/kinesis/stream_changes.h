// What happens to a stream after the operation that asked for it was answered: it becomes ACTIVE, its shards are split
// or merged, it goes. Meanwhile its status says so, as on AWS. A timer that is due at once does it, so a crash delays
// it and loses nothing. Streams take records all the while, once they have been ACTIVE for the first time.
#pragma once

#include "services/kinesis/stream.h"
#include "store/store.h"
#include "store/timer.h"

namespace tidemill::kinesis {

class Service;

inline constexpr store::TimerKind kChangeTimer{"kinesis-stream-change"};  // id: the stream's ARN

// Throws ResourceInUseException.
void require_active(const Stream& stream);

// Lets the change begin that stands in stream.pending; the caller saves the stream. (It is no parameter: clang 19 puts
// a coroutine's copy of a parameter with 128-bit members where its alignment does not allow it.)
Task<void> begin_change(store::Transaction& txn, Stream& stream, Status status, base::Time now);

// The handler of the timer. Running one again does no harm.
Task<void> carry_out_change(Service& service, const store::Timer& timer);

}  // namespace tidemill::kinesis
