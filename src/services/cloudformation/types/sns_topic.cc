// AWS::SNS::Topic with the subscriptions that stand in it.
#include <algorithm>

#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/reading.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kTopicNameSizeMax = 256;
constexpr std::string_view kFifoSuffix = ".fifo";

constexpr Property kTopicLoggingConfig[] = {
    {.name = "FailureFeedbackRoleArn"},
    {.name = "Protocol", .required = true},
    {.name = "SuccessFeedbackRoleArn"},
    {.name = "SuccessFeedbackSampleRate"},
};

constexpr Property kTopicSubscription[] = {
    {.name = "Endpoint", .required = true},
    {.name = "Protocol", .required = true},
};

constexpr Property kTopicProperties[] = {
    {.name = "TopicName", .update = Update::replaces},
    {.name = "ArchivePolicy", .kind = Kind::json},
    {.name = "ContentBasedDeduplication", .kind = Kind::boolean},
    {.name = "DataProtectionPolicy", .kind = Kind::json, .refused = "messages are not inspected"},
    {.name = "DeliveryStatusLogging", .kind = Kind::object, .form = Form::list, .members = kTopicLoggingConfig},
    {.name = "DisplayName"},
    {.name = "FifoThroughputScope"},
    {.name = "FifoTopic", .kind = Kind::boolean, .update = Update::replaces},
    {.name = "KmsMasterKeyId"},
    {.name = "MaximumMessageSize", .kind = Kind::integer},
    {.name = "SignatureVersion"},
    {.name = "Subscription", .kind = Kind::object, .form = Form::list, .members = kTopicSubscription},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
    {.name = "TracingConfig"},
};

constexpr TagOperations kTopicTags = {
    .service = "sns", .tag = "TagResource", .untag = "UntagResource", .resource_member = "ResourceArn"};

// Properties that are attributes, and what these are when nobody has set them.
struct TopicAttribute {
  std::string_view name;
  std::string_view otherwise;
};
constexpr TopicAttribute kTopicAttributes[] = {
    {"ArchivePolicy", "{}"},   {"ContentBasedDeduplication", "false"},
    {"DisplayName", ""},       {"FifoThroughputScope", "Topic"},
    {"KmsMasterKeyId", ""},    {"MaximumMessageSize", "262144"},
    {"SignatureVersion", "1"}, {"TracingConfig", "PassThrough"},
};

// What attributes of a protocol begin with; empty: there is no such protocol.
std::string_view attributes_of_protocol(std::string_view protocol) {
  static constexpr std::pair<std::string_view, std::string_view> kProtocols[] = {{"http/s", "HTTP"},
                                                                                 {"http", "HTTP"},
                                                                                 {"https", "HTTP"},
                                                                                 {"sqs", "SQS"},
                                                                                 {"lambda", "Lambda"},
                                                                                 {"firehose", "Firehose"},
                                                                                 {"application", "Application"}};
  const auto found = std::ranges::find(kProtocols, protocol, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kProtocols) ? std::string_view() : found->second;
}

void check_protocols(const json::Object& properties) {
  for (const json::Value& logging : list_of(properties, "DeliveryStatusLogging")) {
    const std::string protocol = text_of(logging.object(), "Protocol");
    if (attributes_of_protocol(protocol).empty()) {
      throw InvalidRequest(cat("DeliveryStatusLogging: unknown protocol ", protocol));
    }
  }
}

// DeliveryStatusLogging is three attributes for each protocol: "HTTPSuccessFeedbackRoleArn". Of an unknown one, which
// was refused, there are none to go back from.
json::Object feedback_attributes(const json::Object& properties) {
  json::Object result;
  for (const json::Value& logging : list_of(properties, "DeliveryStatusLogging")) {
    const std::string_view protocol = attributes_of_protocol(text_of(logging.object(), "Protocol"));
    if (protocol.empty()) continue;
    for (const std::string_view name :
         {"SuccessFeedbackRoleArn", "SuccessFeedbackSampleRate", "FailureFeedbackRoleArn"}) {
      if (const json::Value* value = logging.find(name)) result.set(cat(protocol, name), *value);
    }
  }
  return result;
}

json::Object topic_attributes(const json::Object& properties) {
  json::Object result = feedback_attributes(properties);
  for (const TopicAttribute& one : kTopicAttributes) {
    if (const json::Value* value = properties.find(one.name)) result.set(std::string(one.name), scalar_text(*value));
  }
  return result;
}

Task<void> subscribe_all(Step& step, std::string topic, const json::Object& before, const json::Object& after) {
  const json::Array old_ones = list_of(before, "Subscription");
  for (const json::Value& one : list_of(after, "Subscription")) {
    const bool is_old = std::ranges::any_of(old_ones, [&](const json::Value& old) { return json::equal(old, one); });
    if (is_old) continue;
    json::Object request = take(one.object(), {"Endpoint", "Protocol"});
    request.set("TopicArn", topic);
    co_await step.call("sns", "Subscribe", std::move(request));
  }
}

// Subscriptions of the topic that the property had and has no more.
Task<void> unsubscribe_gone(Step& step, std::string topic, const json::Object& before, const json::Object& after) {
  json::Array gone = list_of(before, "Subscription");
  const json::Array left = list_of(after, "Subscription");
  std::erase_if(gone, [&](const json::Value& old) {
    return std::ranges::any_of(left, [&](const json::Value& one) { return json::equal(old, one); });
  });
  std::string token;
  do {
    if (gone.empty()) co_return;
    json::Object request{{"TopicArn", topic}};
    if (!token.empty()) request.set("NextToken", token);
    const json::Value page =
        co_await step.call_or_null("sns", "ListSubscriptionsByTopic", std::move(request), {"NotFoundException"});
    if (page.is_null()) co_return;
    for (const json::Value& one : list_of(page.object(), "Subscriptions")) {
      const bool is_gone = std::ranges::any_of(gone, [&](const json::Value& old) {
        return !differ(old.object(), one.object(), {"Endpoint", "Protocol"});
      });
      const std::string arn = text_of(one.object(), "SubscriptionArn");
      if (!is_gone || !arn.starts_with("arn:")) continue;
      co_await step.call_or_null("sns", "Unsubscribe", json::Object{{"SubscriptionArn", arn}}, {"NotFoundException"});
    }
    token = text_of(page.object(), "NextToken");
  } while (!token.empty());
}

Task<std::string> create_topic(Step& step, const json::Object& properties) {
  check_protocols(properties);
  const bool is_fifo = is_true(properties, "FifoTopic");
  std::string name = text_of(properties, "TopicName");
  if (name.empty()) {
    name = step.physical_name(kTopicNameSizeMax, NameLetters::mixed, is_fifo ? kFifoSuffix : "");
  } else {
    co_await claim(
        step, name,
        {"sns", "GetTopicAttributes", json::Object{{"TopicArn", step.arn("sns", name)}}, {"NotFoundException"}});
  }
  json::Object attributes = topic_attributes(properties);
  if (is_fifo) attributes.set("FifoTopic", "true");
  const json::Value made = co_await step.call(
      "sns", "CreateTopic",
      json::Object{{"Name", name}, {"Attributes", std::move(attributes)}, {"Tags", tag_list(step, properties)}});
  const std::string arn = answered_text(made, "TopicArn");
  co_await step.made(arn);
  co_await subscribe_all(step, arn, {}, properties);
  co_return arn;
}

std::string attribute_by_default(std::string_view name) {
  const auto found = std::ranges::find(kTopicAttributes, name, &TopicAttribute::name);
  if (found != std::end(kTopicAttributes)) return std::string(found->otherwise);
  return name.ends_with("SampleRate") ? "0" : "";
}

Task<std::string> update_topic(Step& step, std::string arn, const json::Object& before, const json::Object& after) {
  check_protocols(after);
  const json::Object old_attributes = topic_attributes(before);
  json::Object attributes = topic_attributes(after);
  for (const auto& [name, value] : old_attributes) {
    if (!attributes.find(name)) attributes.set(name, attribute_by_default(name));
  }
  for (const auto& [name, value] : attributes) {
    if (same_member(old_attributes, attributes, name)) continue;
    co_await step.call("sns", "SetTopicAttributes",
                       json::Object{{"TopicArn", arn}, {"AttributeName", name}, {"AttributeValue", value}});
  }
  co_await unsubscribe_gone(step, arn, before, after);
  co_await subscribe_all(step, arn, before, after);
  co_await change_tags(step, kTopicTags, arn, before, after);
  co_return arn;
}

Task<void> remove_topic(Step& step, std::string arn, const json::Object& properties) {
  co_await unsubscribe_gone(step, arn, properties, {});
  co_await step.call_or_null("sns", "DeleteTopic", json::Object{{"TopicArn", arn}}, {"NotFoundException"});
}

Task<json::Object> describe_topic(Step&, std::string arn, const json::Object&) {
  co_return json::Object{{"TopicArn", arn}, {"TopicName", arn.substr(arn.rfind(':') + 1)}};
}

Task<json::Object> read_topic(Step& step, std::string arn) {
  const json::Value found = co_await step.call("sns", "GetTopicAttributes", json::Object{{"TopicArn", arn}});
  json::Object result{{"TopicName", arn.substr(arn.rfind(':') + 1)}};
  for (const auto& [name, value] : object_of(found.object(), "Attributes")) {
    const auto property = std::ranges::find(kTopicProperties, std::string_view(name), &Property::name);
    const bool is_property = property != std::end(kTopicProperties) && property->refused.empty();
    if (!is_property || !value.is_string() || value.string().empty()) continue;
    result.set(name, property_of_text(kTopicProperties, name, value.string()));
  }
  json::Array subscriptions;
  const json::Array all =
      co_await all_pages(step, "sns", "ListSubscriptionsByTopic", "Subscriptions", json::Object{{"TopicArn", arn}});
  for (const json::Value& one : all) subscriptions.push_back(take(one.object(), {"Endpoint", "Protocol"}));
  if (!subscriptions.empty()) result.set("Subscription", std::move(subscriptions));
  const json::Value tags = co_await step.call("sns", "ListTagsForResource", json::Object{{"ResourceArn", arn}});
  set_tags(result, tags.find("Tags"));
  co_return result;
}

Task<std::vector<std::string>> list_topics(Step& step) {
  return list_all(step, "sns", "ListTopics", "Topics", "TopicArn");
}

}  // namespace

const ResourceType types::kSnsTopic = {
    .name = "AWS::SNS::Topic",
    .properties = kTopicProperties,
    .create = create_topic,
    .update = update_topic,
    .remove = remove_topic,
    .attributes = describe_topic,
    .read = read_topic,
    .list = list_topics,
    .name_property = "TopicName",
};

}  // namespace tidemill::cloudformation
