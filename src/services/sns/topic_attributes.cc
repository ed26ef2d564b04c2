#include "services/sns/topic_attributes.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"
#include "engine/policy_principals.h"
#include "lang/policies/policy.h"
#include "services/sns/backoff.h"
#include "services/sns/errors.h"

namespace tidemill::sns {
namespace {

using base::cat;

constexpr size_t kDisplayNameSizeMax = 100;
constexpr std::string_view kKmsKey = "KmsMasterKeyId";
constexpr size_t kPolicySizeMax = 30 << 10;
constexpr std::array<std::string_view, 16> kShown{
    "Policy",        "DisplayName", "DeliveryPolicy",            "EffectiveDeliveryPolicy", "SignatureVersion",
    "TracingConfig", "FifoTopic",   "ContentBasedDeduplication", "FifoThroughputScope",     kBackoffAttribute,
    kKmsKey,
    "ApplicationSuccessFeedbackSampleRate", "FirehoseSuccessFeedbackSampleRate", "HTTPSuccessFeedbackSampleRate",
    "LambdaSuccessFeedbackSampleRate",      "SQSSuccessFeedbackSampleRate"};
constexpr std::array<std::string_view, 8> kDefaultActions{
    "SNS:GetTopicAttributes", "SNS:SetTopicAttributes", "SNS:AddPermission", "SNS:RemovePermission",
    "SNS:DeleteTopic",        "SNS:Subscribe",          "SNS:ListSubscriptionsByTopic", "SNS:Publish"};

std::string value_of(const AttributeMap& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? "" : found->second;
}

// Of delivery status logging, per protocol: "SuccessFeedbackRoleArn" of "HTTPSuccessFeedbackRoleArn". Empty: another one.
std::string_view feedback_setting(std::string_view name) {
  constexpr std::array<std::string_view, 5> kProtocols{"Application", "Firehose", "HTTP", "Lambda", "SQS"};
  constexpr std::array<std::string_view, 3> kSettings{"SuccessFeedbackRoleArn", "FailureFeedbackRoleArn",
                                                      "SuccessFeedbackSampleRate"};
  for (const std::string_view protocol : kProtocols) {
    if (!name.starts_with(protocol)) continue;
    const auto found = std::ranges::find(kSettings, name.substr(protocol.size()));
    if (found != kSettings.end()) return *found;
  }
  return {};
}

// What AWS has and Tidemill lacks.
bool is_lacking(std::string_view name) {
  constexpr std::array<std::string_view, 3> kLacking{"ArchivePolicy", "DataProtectionPolicy", "BeginningArchiveTime"};
  return !feedback_setting(name).empty() || std::ranges::find(kLacking, name) != kLacking.end();
}
// By being empty, or by logging none of a hundred deliveries.
bool asks_for_nothing(std::string_view name, std::string_view value) {
  return value.empty() || (value == "0" && feedback_setting(name) == "SuccessFeedbackSampleRate");
}

void check_boolean(std::string_view name, const std::string& value) {
  if (value != "true" && value != "false") {
    throw invalid_parameter(cat(name, " Reason: Invalid value: ", value, ". Must be true or false."));
  }
}

void check_fifo_attribute(const std::string& name, const std::string& value, bool is_fifo, bool is_new) {
  if (name == "FifoTopic") {
    if (!is_new) throw invalid_parameter("AttributeName");
    return check_boolean(name, value);
  }
  if (!is_fifo) throw invalid_parameter(cat(name, " Reason: The attribute is valid for FIFO topics only"));
  if (name == "ContentBasedDeduplication") return check_boolean(name, value);
  if (value != "Topic" && value != "MessageGroup") {
    throw invalid_parameter(cat("FifoThroughputScope Reason: Invalid value: ", value));
  }
}

std::string default_policy(const Topic& topic) {
  json::Array actions;
  for (const std::string_view action : kDefaultActions) actions.emplace_back(action);
  const json::Object statement{
      {"Sid", "__default_statement_ID"},
      {"Effect", "Allow"},
      {"Principal", json::Object{{"AWS", "*"}}},
      {"Action", std::move(actions)},
      {"Resource", topic.address.arn()},
      {"Condition", json::Object{{"StringEquals", json::Object{{"AWS:SourceOwner", topic.address.account}}}}}};
  return json::write(json::Object{
      {"Version", "2008-10-17"}, {"Id", "__default_policy_ID"}, {"Statement", json::Array{statement}}});
}

}  // namespace

void check_topic_attribute(const std::string& name, const std::string& value, bool is_fifo, bool is_new) {
  if (is_lacking(name)) {
    if (!asks_for_nothing(name, value)) throw not_supported(cat("the attribute ", name));
    return;
  }
  if (name == "FifoTopic" || name == "ContentBasedDeduplication" || name == "FifoThroughputScope") {
    return check_fifo_attribute(name, value, is_fifo, is_new);
  }
  if (name == "DisplayName") {
    if (value.size() > kDisplayNameSizeMax) throw invalid_parameter("DisplayName");
    return;
  }
  if (name == "Policy") {
    if (value.size() > kPolicySizeMax || !lang::policies::Policy::parse_of_resource(value)) {
      throw invalid_parameter("Policy Error: null");
    }
    return;
  }
  if (name == "DeliveryPolicy") {
    if (!value.empty()) (void)parse_topic_delivery_policy(value);
    return;
  }
  if (name == kBackoffAttribute) {
    if (value.empty()) return;
    if (is_fifo) throw invalid_parameter(cat(name, " Reason: The attribute is valid for standard topics only"));
    (void)parse_backoff_policy(value);
    return;
  }
  if (name == kKmsKey) return;  // whether there is such a key, the first message tells
  if (name == "SignatureVersion") {
    if (value != "1" && value != "2") throw invalid_parameter("SignatureVersion");
    return;
  }
  if (name == "TracingConfig") {
    if (value != "PassThrough") throw not_supported(cat("the attribute TracingConfig with the value ", value));
    return;
  }
  throw is_new ? invalid_attribute(cat("Unknown attribute ", name)) : invalid_parameter("AttributeName");
}

Task<std::string> kept_topic_attribute(const wire::Context& context, std::string_view name, std::string value) {
  if (name != "Policy") co_return value;
  co_return co_await engine::with_ids(context, std::move(value), [](std::string_view) {
    return invalid_parameter("Policy Error: PrincipalNotFound");
  });
}

void apply_topic_attributes(Topic& topic) {
  const AttributeMap& attributes = topic.attributes;
  topic.content_based_deduplication = value_of(attributes, "ContentBasedDeduplication") == "true";
  topic.deduplicates_by_group = value_of(attributes, "FifoThroughputScope") == "MessageGroup";
  topic.signature_version = value_of(attributes, "SignatureVersion") == "2" ? 2 : 1;
  topic.kms_key = value_of(attributes, std::string(kKmsKey));
  const std::string policy = value_of(attributes, "DeliveryPolicy");
  topic.delivery_policy = policy.empty() ? DeliveryPolicy() : parse_topic_delivery_policy(policy);
  const std::string backoff = value_of(attributes, std::string(kBackoffAttribute));
  if (!backoff.empty()) topic.backoff = parse_backoff_policy(backoff);
}

AttributeMap describe_topic(const Topic& topic, const SubscriptionCounts& counts) {
  AttributeMap shown;
  for (const std::string_view name : kShown) {
    auto value = effective_topic_attribute(topic, std::string(name));
    if (value) shown.emplace(name, *std::move(value));
  }
  shown["TopicArn"] = topic.address.arn();
  shown["Owner"] = topic.address.account;
  shown["SubscriptionsConfirmed"] = std::to_string(counts.confirmed);
  shown["SubscriptionsPending"] = std::to_string(counts.pending);
  shown["SubscriptionsDeleted"] = std::to_string(counts.deleted);
  return shown;
}

std::optional<std::string> effective_topic_attribute(const Topic& topic, const std::string& name) {
  const auto set = topic.attributes.find(name);
  if (set != topic.attributes.end() && !set->second.empty()) return set->second;
  if (name == "Policy") return default_policy(topic);
  if (name == "DisplayName") return "";
  if (name == "EffectiveDeliveryPolicy") return describe_for_topic(topic.delivery_policy);
  if (topic.is_fifo() && name == "FifoTopic") return "true";
  if (topic.is_fifo() && name == "ContentBasedDeduplication") return "false";
  return std::nullopt;
}

}  // namespace tidemill::sns
