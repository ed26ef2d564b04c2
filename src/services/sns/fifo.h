// FIFO topics: what is published twice within five minutes is sent once, and the messages of a group reach each
// subscriber one after the other, also when one has to be tried again.
//
//   N n topic-id                               u64: the number of messages so far
//                                              u64: of the first whose lanes are marked
//   N d topic-id string(group) string(id)      i64 expires, string message id, u64 sequence; the group is "" unless ids
//                                              are unique within groups only
//   N l string(subscription) string(group) u64(sequence)   the id of a message that the subscriber has still to get
//   N q string(subscription) string(group)     marks a lane that holds messages: who joins does not look through
//                                              it, where those that have left would have to be stepped over
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/timer_service.h"
#include "services/sns/message.h"
#include "services/sns/topic.h"
#include "store/store.h"

namespace tidemill::sns {

inline constexpr std::chrono::minutes kDeduplicationWindow{5};

struct Duplicate {
  std::string message_id;
  uint64_t sequence = 0;
};

// What was published before with the message's deduplication id; nothing if that is longer ago than the window.
Task<std::optional<Duplicate>> find_duplicate(store::Transaction& txn, const Topic& topic, const Message& message,
                                              base::Time now);
Task<void> remember(store::Transaction& txn, const Topic& topic, const Message& message, base::Time now);

// Forgets what is not needed any more. Register before the timers start.
void forget_duplicates_by(engine::TimerService& timers, store::Store& store, base::Clock& clock);

// The topic is gone.
void forget_all(store::Transaction& txn, const Topic& topic);

// The number of the topic's next message.
Task<uint64_t> next_sequence(store::Transaction& txn, const Topic& topic);

// The message, numbered by next_sequence in this transaction, is the last for the subscriber in its group. True: it is
// also the first, and nothing is under way.
Task<bool> join_lane(store::Transaction& txn, const Topic& topic, std::string_view subscription_id,
                     const Message& message);
// The message, which was the first of its lane, has been delivered or given up. The message that is next; nothing:
// there is none.
Task<std::optional<std::string>> leave_lane(store::Transaction& txn, std::string_view subscription_id,
                                            const Message& message);

}  // namespace tidemill::sns
