// The attributes of subscriptions: which may be set to what, what they mean, and how they are shown.
#pragma once

#include <string>

#include "services/sns/subscription.h"

namespace tidemill::sns {

// Sets those that a request names, and checks them one by one and together. An empty value removes one. `subscription`
// must have its protocol, endpoint and address. Throws InvalidParameter. `is_new`: they come with the subscription, which
// words the refusals differently.
void apply_subscription_attributes(Subscription& subscription, const AttributeMap& changes, bool is_new);

// Fills in what the attributes mean. They have been checked.
void apply_subscription_attributes(Subscription& subscription);

// "arn:aws:sqs:REGION:ACCOUNT:NAME", with a name that a queue can have.
[[nodiscard]] bool is_queue_arn(std::string_view arn);

// Whether the same subscription is asked for once more.
[[nodiscard]] bool has_same_attributes(const Subscription& subscription, const AttributeMap& wanted);

// All that GetSubscriptionAttributes shows.
[[nodiscard]] AttributeMap describe_subscription(const Subscription& subscription, const Topic& topic);

// What counts for its deliveries.
[[nodiscard]] const DeliveryPolicy& effective_delivery_policy(const Subscription& subscription, const Topic& topic);

}  // namespace tidemill::sns
