// How many messages of a queue are in flight, and how many more may be: AWS's quota (developer guide, "Amazon SQS
// message quotas"). Beyond it a standard queue answers receivers who do not wait with OverLimit; those who wait, and
// all of a FIFO queue, get nothing until others are deleted or time out.
//
// Kept as an upper bound in memory: what has been handed out since the store was last asked (counts.h). So a receive
// costs an addition; only when the bound reaches the quota is the store asked, at most once in a second while that is
// reached.
#pragma once

#include <optional>

#include "services/sqs/queue.h"
#include "store/store.h"

namespace tidemill::sqs {

inline constexpr size_t kMessagesInFlightMax = 120'000;  // "approximately"; of FIFO queues since November 2024

// Of one queue. By one coroutine at a time.
class InFlight {
 public:
  static constexpr std::chrono::seconds kCountedAgainAfter{1};

  explicit InFlight(size_t most) : most_(most) {}

  // How many messages may be taken now.
  Task<size_t> room(store::Store& store, const Queue& queue, base::Time now);
  // So many have been.
  void add(size_t taken) { bound_ = bound_.value_or(0) + taken; }

 private:
  const size_t most_;
  std::optional<size_t> bound_;        // nothing: not counted yet
  std::optional<base::Time> counted_;  // when there were too many
};

}  // namespace tidemill::sqs
