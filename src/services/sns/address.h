// How topics and subscriptions are named: arn:aws:sns:REGION:ACCOUNT:TOPIC, and behind that :ID for a subscription.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/context.h"

namespace tidemill::sns {

inline constexpr std::string_view kFifoSuffix = ".fifo";
inline constexpr size_t kTopicNameSizeMax = 256;

struct TopicAddress {
  std::string account;
  std::string region;
  std::string name;

  [[nodiscard]] std::string arn() const;
  [[nodiscard]] bool is_fifo() const { return name.ends_with(kFifoSuffix); }
  bool operator==(const TopicAddress&) const = default;
};

struct SubscriptionAddress {
  TopicAddress topic;
  std::string id;  // a UUID

  [[nodiscard]] std::string arn() const;
};

// 1..256 of a-z A-Z 0-9 _ -, with the suffix .fifo or without.
[[nodiscard]] bool is_topic_name(std::string_view name);

// Nothing if `arn` is none of a topic, or of a subscription.
[[nodiscard]] std::optional<TopicAddress> parse_topic_arn(std::string_view arn);
[[nodiscard]] std::optional<SubscriptionAddress> parse_subscription_arn(std::string_view arn);

// Of a request. Throws InvalidParameter, and AuthorizationError for topics of others.
[[nodiscard]] TopicAddress topic_of(const wire::Context& context, std::string_view arn);
[[nodiscard]] SubscriptionAddress subscription_of(const wire::Context& context, std::string_view arn);

// The same for requests that a token or a link makes, without a signature: of any account.
[[nodiscard]] TopicAddress topic_of_anyone(std::string_view arn);
[[nodiscard]] SubscriptionAddress subscription_of_anyone(std::string_view arn);

}  // namespace tidemill::sns
