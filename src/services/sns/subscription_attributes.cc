#include "services/sns/subscription_attributes.h"

#include <algorithm>

#include "base/boolean_text.h"
#include "base/json.h"
#include "base/text.h"
#include "services/sns/errors.h"

namespace tidemill::sns {
namespace {

using base::cat;

constexpr std::string_view kQueueArnStart = "arn:aws:sqs:";
constexpr size_t kQueueNameSizeMax = 80;

std::string value_of(const AttributeMap& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? "" : found->second;
}

// An empty filter policy is how one is taken away; none is shown then.
bool is_empty_filter(std::string_view name, const std::string& value) {
  if (name != "FilterPolicy") return false;
  const auto document = json::parse(value);
  return document && document->is_object() && document->object().empty();
}

bool filters_body(const AttributeMap& attributes) {
  return value_of(attributes, "FilterPolicyScope") == "MessageBody";
}

lang::patterns::Options filter_options(const AttributeMap& attributes) {
  return filters_body(attributes) ? lang::patterns::sns_body() : lang::patterns::sns_attributes();
}

void check_filter(const AttributeMap& attributes) {
  const std::string policy = value_of(attributes, "FilterPolicy");
  if (!policy.empty()) (void)lang::patterns::Pattern::parse(policy, filter_options(attributes));
}

// The queue of a {"deadLetterTargetArn":"…"}. Throws InvalidParameter's text.
struct BadAttribute {
  std::string reason;
};

std::string parse_redrive(const std::string& text, const Subscription& subscription) {
  const auto document = json::parse(text);
  if (!document || !document->is_object()) throw BadAttribute{"RedrivePolicy: failed to parse JSON."};
  for (const auto& [name, value] : document->object()) {
    if (name != "deadLetterTargetArn") throw BadAttribute{cat("RedrivePolicy: unknown member ", name)};
  }
  const json::Value* target = document->find("deadLetterTargetArn");
  if (!target || !target->is_string() || !target->string().starts_with(kQueueArnStart)) {
    throw BadAttribute{"RedrivePolicy: deadLetterTargetArn is an invalid arn"};
  }
  const TopicAddress& topic = subscription.address.topic;
  const std::string& arn = target->string();
  if (!arn.starts_with(cat(kQueueArnStart, topic.region, ":", topic.account, ":"))) {
    throw BadAttribute{"RedrivePolicy: the dead-letter queue must be of the subscription's account and region"};
  }
  if (arn.ends_with(kFifoSuffix) && !topic.is_fifo()) {
    throw BadAttribute{"RedrivePolicy: must use the same type of queue as the topic"};
  }
  if (topic.is_fifo() && subscription.endpoint.ends_with(kFifoSuffix) && !arn.ends_with(kFifoSuffix)) {
    throw BadAttribute{"RedrivePolicy: must use a FIFO queue as DLQ for a FIFO Subscription to a FIFO Topic."};
  }
  return arn;
}

void check_raw(const Subscription& subscription, const std::string& given) {
  const std::string value = base::canonical_boolean(given);
  if (value != "true" && value != "false") {
    throw BadAttribute{cat("RawMessageDelivery: Invalid value [", value, "]. Must be true or false.")};
  }
  if (subscription.protocol == "lambda" && value == "true") {
    throw BadAttribute{"RawMessageDelivery: Delivery protocol [lambda] does not support raw message delivery."};
  }
}

void check_attribute(const Subscription& subscription, const std::string& name, const std::string& value) {
  if (name == "RawMessageDelivery") return check_raw(subscription, value);
  if (name == "RedrivePolicy") {
    if (is_queue_arn(parse_redrive(value, subscription))) return;
    throw BadAttribute{"RedrivePolicy: deadLetterTargetArn is an invalid arn"};
  }
  if (name == "FilterPolicy") return;  // together with its scope
  if (name == "FilterPolicyScope") {
    if (value == "MessageAttributes" || value == "MessageBody") return;
    throw BadAttribute{cat("FilterPolicyScope: Invalid value [", value,
                           "]. Please use either MessageBody or MessageAttributes")};
  }
  if (name == "DeliveryPolicy") {
    if (!subscription.is_http()) {
      throw BadAttribute{cat("DeliveryPolicy: Delivery protocol [", subscription.protocol,
                             "] does not support delivery policy")};
    }
    (void)parse_subscription_delivery_policy(value);
    return;
  }
  if (name == "SubscriptionRoleArn" || name == "ReplayPolicy") throw not_supported(cat("the attribute ", name));
  throw BadAttribute{"AttributeName"};
}

}  // namespace

bool is_queue_arn(std::string_view arn) {
  if (!arn.starts_with(kQueueArnStart)) return false;
  arn.remove_prefix(kQueueArnStart.size());
  const size_t region_end = std::min(arn.find(':'), arn.size());
  const std::string_view rest = arn.substr(std::min(region_end + 1, arn.size()));
  const size_t account_end = std::min(rest.find(':'), rest.size());
  const std::string_view name = rest.substr(std::min(account_end + 1, rest.size()));
  // Queues and topics are called by the same characters, and so are regions and accounts.
  return is_topic_name(arn.substr(0, region_end)) && is_topic_name(rest.substr(0, account_end)) && is_topic_name(name) &&
         name.size() <= kQueueNameSizeMax;
}

void apply_subscription_attributes(Subscription& subscription, const AttributeMap& changes, bool is_new) {
  try {
    for (const auto& [name, value] : changes) {
      const bool has_no_empty_value = name != "FilterPolicyScope" && name != "RawMessageDelivery";
      if ((value.empty() && has_no_empty_value) || is_empty_filter(name, value)) {
        subscription.attributes.erase(name);
        continue;
      }
      check_attribute(subscription, name, value);
      subscription.attributes.insert_or_assign(name, value);
    }
    check_filter(subscription.attributes);
  } catch (const BadAttribute& bad) {
    throw is_new ? invalid_attribute(bad.reason) : invalid_parameter(bad.reason);
  } catch (const lang::patterns::NestedPatternError& error) {
    throw invalid_parameter(error.what());
  } catch (const lang::patterns::PatternError& error) {
    const std::string reason = cat("FilterPolicy: ", error.what());
    throw is_new ? invalid_attribute(reason) : invalid_parameter(reason);
  }
  apply_subscription_attributes(subscription);
}

void apply_subscription_attributes(Subscription& subscription) {
  const AttributeMap& attributes = subscription.attributes;
  subscription.is_raw = base::canonical_boolean(value_of(attributes, "RawMessageDelivery")) == "true";
  subscription.filters_body = filters_body(attributes);
  subscription.filter.reset();
  if (const std::string policy = value_of(attributes, "FilterPolicy"); !policy.empty()) {
    subscription.filter = lang::patterns::Pattern::parse(policy, lang::patterns::without_limits(filter_options(attributes)));
  }
  const std::string redrive = value_of(attributes, "RedrivePolicy");
  subscription.dead_letter_queue = redrive.empty() ? "" : parse_redrive(redrive, subscription);
  subscription.delivery_policy.reset();
  if (const std::string policy = value_of(attributes, "DeliveryPolicy"); !policy.empty()) {
    subscription.delivery_policy = parse_subscription_delivery_policy(policy);
  }
}

bool has_same_attributes(const Subscription& subscription, const AttributeMap& wanted) {
  for (const auto& [name, value] : wanted) {
    const std::string current = value_of(subscription.attributes, name);
    if (current == value) continue;
    const bool is_default = current.empty() && ((name == "RawMessageDelivery" && value == "false") ||
                                                (name == "FilterPolicyScope" && value == "MessageAttributes") ||
                                                is_empty_filter(name, value));
    if (!is_default) return false;
  }
  return true;
}

AttributeMap describe_subscription(const Subscription& subscription, const Topic& topic) {
  AttributeMap shown = subscription.attributes;
  const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
  shown["SubscriptionArn"] = subscription.address.arn();
  shown["TopicArn"] = subscription.address.topic.arn();
  shown["Owner"] = subscription.address.topic.account;
  shown["SubscriptionPrincipal"] = cat("arn:aws:iam::", subscription.address.topic.account, ":root");
  shown["Protocol"] = subscription.protocol;
  shown["Endpoint"] = subscription.endpoint;
  shown["PendingConfirmation"] = flag(subscription.status == SubscriptionStatus::pending);
  shown["ConfirmationWasAuthenticated"] =
      flag(subscription.status == SubscriptionStatus::confirmed && subscription.confirmed_by_owner);
  shown["RawMessageDelivery"] = flag(subscription.is_raw);
  // The scope that a policy would have is not shown without one.
  if (subscription.filter) shown["FilterPolicyScope"] = subscription.filters_body ? "MessageBody" : "MessageAttributes";
  else shown.erase("FilterPolicyScope");
  if (subscription.is_http()) {
    shown["EffectiveDeliveryPolicy"] = describe_for_subscription(effective_delivery_policy(subscription, topic));
  }
  return shown;
}

const DeliveryPolicy& effective_delivery_policy(const Subscription& subscription, const Topic& topic) {
  if (subscription.delivery_policy && !topic.delivery_policy.disables_overrides) return *subscription.delivery_policy;
  return topic.delivery_policy;
}

}  // namespace tidemill::sns
