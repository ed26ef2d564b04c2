// Who is subscribed to which shard. One subscription at a time for a consumer and a shard: another within five seconds
// is refused, a later one takes over (API reference, SubscribeToShard). Kept in memory: a connection ends with its
// process.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/future.h"

namespace tidemill::kinesis {

inline constexpr std::chrono::minutes kSubscriptionLifetime{5};
inline constexpr std::chrono::seconds kSubscriptionGuard{5};

// One of them. Its place is free once the last handle is gone.
struct Subscription {
  std::string key;  // consumer ARN and shard
  base::Time began;
  bool taken_over = false;  // under the mutex of Subscriptions
  base::Signal wake;        // records, the end of the shard, the consumer's end, a take-over
};

// Any thread.
class Subscriptions {
 public:
  static constexpr size_t kSubscriptionsMax = 100'000;

  // nullptr: the one there is began less than kSubscriptionGuard ago. Throws LimitExceededException beyond the maximum.
  std::shared_ptr<Subscription> begin(std::string consumer_arn, std::string_view shard_id, base::Time now);
  [[nodiscard]] bool is_taken_over(const Subscription& subscription);

 private:
  void end(Subscription* subscription);

  std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<Subscription>> by_key_;
};

}  // namespace tidemill::kinesis
