// How many messages a queue holds.
#pragma once

#include <optional>

#include "services/sqs/queue.h"
#include "store/store.h"

namespace tidemill::sqs {

struct Counts {
  uint64_t visible = 0;
  uint64_t in_flight = 0;
  uint64_t delayed = 0;
  // When the oldest was sent, for ApproximateAgeOfOldestMessage: of a standard queue without those that were received
  // more often than kReceivesOfOldestMax times and are still there.
  std::optional<base::Time> oldest;
};

inline constexpr uint32_t kReceivesOfOldestMax = 3;  // developer guide, "Available CloudWatch metrics for Amazon SQS"

// Counted in one snapshot, in pieces between which others run.
Task<Counts> count_messages(store::Store& store, const Queue& queue, base::Time now);

}  // namespace tidemill::sqs
