#include "services/kinesis/subscriptions.h"

#include "base/text.h"
#include "services/kinesis/errors.h"

namespace tidemill::kinesis {

std::shared_ptr<Subscription> Subscriptions::begin(std::string consumer_arn, std::string_view shard_id,
                                                   base::Time now) {
  std::shared_ptr<Subscription> previous;  // let go outside the mutex, which its end takes
  const std::shared_ptr<Subscription> subscription(
      new Subscription{.key = base::cat(consumer_arn, "/", shard_id), .began = now},
      [this](Subscription* ended) { end(ended); });
  {
    const std::lock_guard lock(mutex_);
    if (by_key_.size() >= kSubscriptionsMax) throw limit_exceeded("Too many subscriptions.");
    auto& place = by_key_[subscription->key];
    previous = place.lock();
    if (previous && now - previous->began < kSubscriptionGuard) return nullptr;
    if (previous) previous->taken_over = true;
    place = subscription;
  }
  if (previous) previous->wake.signal();
  return subscription;
}

bool Subscriptions::is_taken_over(const Subscription& subscription) {
  const std::lock_guard lock(mutex_);
  return subscription.taken_over;
}

void Subscriptions::end(Subscription* subscription) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.find(subscription->key);
    if (found != by_key_.end() && found->second.expired()) by_key_.erase(found);
  }
  delete subscription;
}

}  // namespace tidemill::kinesis
