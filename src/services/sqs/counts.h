// How many messages a queue holds.
#pragma once

#include "services/sqs/queue.h"
#include "store/store.h"

namespace tidemill::sqs {

struct Counts {
  uint64_t visible = 0;
  uint64_t in_flight = 0;
  uint64_t delayed = 0;
};

// Counted in one snapshot, in pieces between which others run.
Task<Counts> count_messages(store::Store& store, const Queue& queue, base::Time now);

}  // namespace tidemill::sqs
