// The attributes of topics: which may be set to what, what they mean, and how they are shown.
#pragma once

#include <string>

#include "services/sns/topic.h"
#include "wire/context.h"

namespace tidemill::sns {

// What a request wants set, when a topic is made (`is_new`) or changed. Throws InvalidParameter.
void check_topic_attribute(const std::string& name, const std::string& value, bool is_fifo, bool is_new);

// As it is kept: a policy with the ids of whom it names (engine/policy_principals.h). Throws InvalidParameter.
Task<std::string> kept_topic_attribute(const wire::Context& context, std::string_view name, std::string value);

// Fills in what the topic's attributes mean. Those that are not well-formed count as not set.
void apply_topic_attributes(Topic& topic);

// How many subscriptions a topic has.
struct SubscriptionCounts {
  int confirmed = 0;
  int pending = 0;
  int deleted = 0;
};

// All that GetTopicAttributes shows.
[[nodiscard]] AttributeMap describe_topic(const Topic& topic, const SubscriptionCounts& counts);

// What the attribute is, set or not; nothing: it is not shown.
[[nodiscard]] std::optional<std::string> effective_topic_attribute(const Topic& topic, const std::string& name);

}  // namespace tidemill::sns
