// AWS::SNS::Subscription.
#include <algorithm>
#include <array>
#include <utility>

#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr std::string_view kPending = "pending confirmation";

constexpr Property kSubscriptionProperties[] = {
    {.name = "Endpoint", .update = Update::replaces},
    {.name = "Protocol", .required = true, .update = Update::replaces},
    {.name = "TopicArn", .required = true, .update = Update::replaces},
    {.name = "DeliveryPolicy", .kind = Kind::json},
    {.name = "FilterPolicy", .kind = Kind::json},
    {.name = "FilterPolicyScope"},
    {.name = "RawMessageDelivery", .kind = Kind::boolean},
    {.name = "RedrivePolicy", .kind = Kind::json},
    {.name = "Region"},
    {.name = "ReplayPolicy", .kind = Kind::json},
    {.name = "SubscriptionRoleArn"},
};

// The region of the topic: only this server's.
void check_region(const Step& step, const json::Object& properties) {
  const std::string region = text_or(properties, "Region", step.region());
  if (region != step.region()) throw InvalidRequest("Region: Tidemill subscribes to topics of the same region only.");
}

json::Object subscription_attributes(const json::Object& properties) {
  json::Object result;
  for (const std::string_view name : {"DeliveryPolicy", "FilterPolicyScope", "FilterPolicy", "RawMessageDelivery",
                                      "RedrivePolicy", "ReplayPolicy", "SubscriptionRoleArn"}) {
    if (const json::Value* value = properties.find(name)) result.set(std::string(name), scalar_text(*value));
  }
  return result;
}

Task<std::string> create_subscription(Step& step, const json::Object& properties) {
  check_region(step, properties);
  json::Object request = take(properties, {"TopicArn", "Protocol", "Endpoint"});
  request.set("Attributes", subscription_attributes(properties));
  request.set("ReturnSubscriptionArn", true);
  // Once more, the same is answered: a topic has one subscription of an endpoint.
  const json::Value made = co_await step.call("sns", "Subscribe", std::move(request));
  co_return answered_text(made, "SubscriptionArn");
}

Task<void> set_subscription_attribute(Step& step, std::string arn, std::string_view name, const json::Object& before,
                                      const json::Object& after) {
  if (same_member(before, after, name)) co_return;
  co_await step.call("sns", "SetSubscriptionAttributes",
                     json::Object{{"SubscriptionArn", std::move(arn)},
                                  {"AttributeName", std::string(name)},
                                  {"AttributeValue", text_of(after, name)}});
}

Task<std::string> update_subscription(Step& step, std::string arn, const json::Object& before,
                                      const json::Object& after) {
  check_region(step, after);
  const json::Object old_attributes = subscription_attributes(before);
  json::Object attributes = subscription_attributes(after);
  set_removed(attributes, old_attributes,
              {{"DeliveryPolicy", ""},
               {"FilterPolicyScope", "MessageAttributes"},
               {"FilterPolicy", "{}"},
               {"RawMessageDelivery", "false"},
               {"RedrivePolicy", ""},
               {"ReplayPolicy", ""},
               {"SubscriptionRoleArn", ""}});
  // A policy of bodies may be nested, one of attributes may not: the scope changes while the policy that is in force suits
  // both.
  const bool is_of_bodies = text_of(attributes, "FilterPolicyScope") == "MessageBody";
  const std::array filters{is_of_bodies ? "FilterPolicyScope" : "FilterPolicy",
                           is_of_bodies ? "FilterPolicy" : "FilterPolicyScope"};
  for (const std::string_view name : filters) {
    co_await set_subscription_attribute(step, arn, name, old_attributes, attributes);
  }
  for (const auto& [name, value] : attributes) {
    if (std::ranges::find(filters, name) != filters.end()) continue;
    co_await set_subscription_attribute(step, arn, name, old_attributes, attributes);
  }
  co_return arn;
}

Task<void> remove_subscription(Step& step, std::string arn, const json::Object&) {
  if (arn == kPending) co_return;  // nobody has confirmed it: it goes by itself
  co_await step.call_or_null("sns", "Unsubscribe", json::Object{{"SubscriptionArn", arn}}, {"NotFoundException"});
}

Task<json::Object> describe_subscription(Step&, std::string arn, const json::Object&) {
  co_return json::Object{{"Arn", arn}};
}

}  // namespace

const ResourceType types::kSnsSubscription = {
    .name = "AWS::SNS::Subscription",
    .properties = kSubscriptionProperties,
    .create = create_subscription,
    .update = update_subscription,
    .remove = remove_subscription,
    .attributes = describe_subscription,
};

}  // namespace tidemill::cloudformation
