// How deliveries are tried again ("Amazon SNS message delivery retries"): at once, then with the least delay, then with
// growing delays, then with the greatest. The owner of a topic or of a subscription to HTTP(S) may choose; what goes to
// SQS and Lambda has a policy of AWS's own.
#pragma once

#include <string>
#include <string_view>

#include "store/delivery.h"

namespace tidemill::sns {

struct HealthyRetryPolicy {
  int min_delay_seconds = 20;
  int max_delay_seconds = 20;
  int retries = 3;
  int no_delay_retries = 0;
  int min_delay_retries = 0;
  int max_delay_retries = 0;
  std::string backoff = "linear";  // or arithmetic, geometric, exponential
};

inline constexpr std::string_view kDefaultContentType = "text/plain; charset=UTF-8";

struct DeliveryPolicy {
  HealthyRetryPolicy healthy;
  std::string content_type{kDefaultContentType};  // of requests
  bool disables_overrides = false;                // of a topic: subscriptions have no policy of their own
};

// {"http":{"defaultHealthyRetryPolicy":{…},"disableSubscriptionOverrides":false,"defaultRequestPolicy":{…}}} of a topic,
// {"healthyRetryPolicy":{…},"requestPolicy":{…}} of a subscription. Throws InvalidParameter.
[[nodiscard]] DeliveryPolicy parse_topic_delivery_policy(std::string_view text);
[[nodiscard]] DeliveryPolicy parse_subscription_delivery_policy(std::string_view text);

[[nodiscard]] std::string describe_for_topic(const DeliveryPolicy& policy);
[[nodiscard]] std::string describe_for_subscription(const DeliveryPolicy& policy);

[[nodiscard]] store::RetryPolicy retries_of(const HealthyRetryPolicy& policy);
// To SQS and Lambda: 100,015 attempts over 23 days.
[[nodiscard]] store::RetryPolicy managed_retries();

}  // namespace tidemill::sns
