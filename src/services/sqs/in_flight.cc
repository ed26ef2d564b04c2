#include "services/sqs/in_flight.h"

#include <algorithm>

#include "services/sqs/counts.h"
#include "services/sqs/message_keys.h"

namespace tidemill::sqs {
namespace {

// A group's messages in flight are those of one receive.
constexpr size_t kInFlightPerGroupMax = 10;

// Everything that becomes available later, also what is only delayed; `most` if it is more.
Task<size_t> unavailable(store::Store& store, const Queue& queue, base::Time now, size_t most) {
  size_t count = 0;
  const size_t each = queue.is_fifo() ? kInFlightPerGroupMax : 1;
  co_await store.snapshot()->scan(available_range(queue.id, now + base::Duration(1), base::Time::max()),
                                  store::Direction::forward, [&](std::string_view, std::string_view) {
                                    count += each;
                                    return count < most;
                                  });
  co_return std::min(count, most);
}

}  // namespace

Task<size_t> InFlight::room(store::Store& store, const Queue& queue, base::Time now) {
  if (bound_ && *bound_ < most_) co_return most_ - *bound_;
  if (counted_ && *counted_ <= now && now < *counted_ + kCountedAgainAfter) co_return 0;
  bound_ = co_await unavailable(store, queue, now, most_);
  if (*bound_ >= most_) {
    bound_ = (co_await count_messages(store, queue, now)).in_flight;
    counted_ = now;
  }
  co_return most_ - std::min(*bound_, most_);
}

}  // namespace tidemill::sqs
