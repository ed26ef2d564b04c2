#include "services/sqs/in_flight.h"

#include <algorithm>

#include "services/sqs/counts.h"

namespace tidemill::sqs {
Task<size_t> InFlight::room(store::Store& store, const Queue& queue, base::Time now) {
  if (bound_ && *bound_ < most_) co_return most_ - *bound_;
  if (counted_ && *counted_ <= now && now < *counted_ + kCountedAgainAfter) co_return 0;
  bound_ = (co_await count_messages(store, queue, now)).in_flight;
  if (*bound_ >= most_) counted_ = now;
  co_return most_ - std::min(*bound_, most_);
}

}  // namespace tidemill::sqs
