// What queues forget: messages that have outlived the queue's retention period, and what FIFO queues remember of
// messages for five minutes. Receives check each message by themselves; here is what cleans up where nobody receives.
//
// One timer per queue that holds anything, due when its first message expires; a queue that holds nothing has none.
#pragma once

#include "engine/timer_service.h"
#include "services/sqs/arrivals.h"
#include "services/sqs/queue.h"
#include "store/timer.h"

namespace tidemill::sqs {

inline constexpr store::TimerKind kExpiryTimer{"sqs-expiry"};

// Sets the queue's timer if it has none.
Task<void> ensure_expiry_timer(store::Transaction& txn, const Queue& queue, base::Time due);
// After a change of the retention period.
Task<void> hurry_expiry_timer(store::Transaction& txn, const Queue& queue, base::Time due);

// The timer's handler. What it makes available of FIFO groups is announced in `arrivals`.
Task<void> forget_expired(store::Store& store, base::Clock& clock, QueueCache& queues, Arrivals& arrivals,
                          store::Timer timer);

}  // namespace tidemill::sqs
