// How many messages a queue holds: counted as they come, change and go, so that nobody has to look at them.
//
// Which messages are hidden changes by time alone, without anything being written. So messages that were hidden once,
// by a delay or a receive, are counted by when that ends, in buckets of time: what is hidden now is the sum of the
// buckets that end later, and everything else is visible. A bucket's width goes by how long its messages are hidden,
// about a thousandth of that (kClasses), so a sum reads a few thousand numbers at most, usually a handful; and since
// that follows from a message's state alone, who changes the state knows both buckets. In the bucket that time is
// passing through messages count as visible already: approximate by a thousandth of the timeout.
//
// The numbers are changed by Transaction::add, so neither senders nor receivers conflict over them.
//
//   # q queue-id u8(0)                               number: all messages
//   # q queue-id u8(class) i64(bucket) u8(delayed)   number: those hidden until then
//   # q queue-id u8(0xff)                            the queue is counted; without it, counting has to begin: it was
//                                                    made by a version that did not
#pragma once

#include <optional>

#include "services/sqs/message.h"
#include "services/sqs/queue.h"
#include "store/store.h"

namespace tidemill::sqs {

struct Counts {
  uint64_t visible = 0;
  uint64_t in_flight = 0;
  uint64_t delayed = 0;
};

// As of now. Messages that have expired and are not cleaned away yet count, too.
Task<Counts> count_messages(store::Store& store, const Queue& queue, base::Time now);

// When the oldest message was sent, for ApproximateAgeOfOldestMessage: of a standard queue without those that were
// received more often than kReceivesOfOldestMax times and are still there. Looks at the first kOldestLookedAtMax of
// each kind; nothing: it is not among them.
inline constexpr uint32_t kReceivesOfOldestMax = 3;  // developer guide, "Available CloudWatch metrics for Amazon SQS"
inline constexpr size_t kOldestLookedAtMax = 1'000;
Task<std::optional<base::Time>> oldest_message(store::Store& store, const Queue& queue, base::Time now);

// A message comes (no state before), changes, or goes (none after), in the transaction that has read the queue's
// record.
void count_change(store::Transaction& txn, const Queue& queue, const MessageState* before, const MessageState* after);

// A queue that holds nothing: it was just made, or everything is erased, also what is counted.
void count_from_nothing(store::Transaction& txn, std::string_view queue_id);
// What a queue counts.
[[nodiscard]] store::Range counts_range(std::string_view queue_id);
// Whether it does.
[[nodiscard]] std::string is_counted_key(std::string_view queue_id);

}  // namespace tidemill::sqs
