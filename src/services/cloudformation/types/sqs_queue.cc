// AWS::SQS::Queue. The model for other types: see resource_type.h. What a file keeps to itself has names of its own
// (create_queue, not create), so that many files can be compiled as one.
#include <algorithm>

#include "base/text.h"
#include "services/cloudformation/types/reading.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kQueueNameSizeMax = 80;
constexpr int kQueuesAtOnce = 1'000;  // of a list
constexpr std::string_view kFifoSuffix = ".fifo";


constexpr Property kQueueProperties[] = {
    {.name = "QueueName", .update = Update::replaces},
    {.name = "FifoQueue", .kind = Kind::boolean, .update = Update::replaces},
    {.name = "ContentBasedDeduplication", .kind = Kind::boolean},
    {.name = "DeduplicationScope"},
    {.name = "FifoThroughputLimit"},
    {.name = "DelaySeconds", .kind = Kind::integer},
    {.name = "MaximumMessageSize", .kind = Kind::integer},
    {.name = "MessageRetentionPeriod", .kind = Kind::integer},
    {.name = "ReceiveMessageWaitTimeSeconds", .kind = Kind::integer},
    {.name = "VisibilityTimeout", .kind = Kind::integer},
    {.name = "RedrivePolicy", .kind = Kind::json},
    {.name = "RedriveAllowPolicy", .kind = Kind::json},
    {.name = "KmsMasterKeyId"},
    {.name = "KmsDataKeyReusePeriodSeconds", .kind = Kind::integer},
    {.name = "SqsManagedSseEnabled", .kind = Kind::boolean},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
};

// What an attribute is when nobody has set it: what a property that is taken away goes back to.
struct QueueDefault {
  std::string_view name;
  std::string_view value;
};
constexpr QueueDefault kQueueDefaults[] = {
    {"DelaySeconds", "0"},        {"MaximumMessageSize", "1048576"},         {"MessageRetentionPeriod", "345600"},
    {"ReceiveMessageWaitTimeSeconds", "0"}, {"VisibilityTimeout", "30"},     {"RedrivePolicy", ""},
    {"RedriveAllowPolicy", ""},   {"ContentBasedDeduplication", "false"},    {"DeduplicationScope", "queue"},
    {"FifoThroughputLimit", "perQueue"},    {"SqsManagedSseEnabled", "true"},
    {"KmsMasterKeyId", ""},       {"KmsDataKeyReusePeriodSeconds", ""},
};

// Attributes are text, whatever the property is.
std::string queue_attribute(const json::Value& value) {
  if (value.is_string()) return value.string();
  if (value.is_boolean()) return value.boolean() ? "true" : "false";
  return json::write(value);
}

json::Object queue_settings(const json::Object& properties) {
  json::Object result;
  for (const auto& [name, value] : properties) {
    if (name == "QueueName" || name == "Tags") continue;
    if (name == "FifoQueue" && !value.boolean()) continue;  // SQS refuses "false"
    result.set(name, queue_attribute(value));
  }
  return result;
}

std::string queue_name(const Step& step, const json::Object& properties) {
  if (const std::string given = text_of(properties, "QueueName"); !given.empty()) return given;
  const json::Value* fifo = properties.find("FifoQueue");
  return step.physical_name(kQueueNameSizeMax, NameLetters::mixed, fifo && fifo->boolean() ? kFifoSuffix : "");
}

Task<std::string> create_queue(Step& step, const json::Object& properties) {
  const std::string name = queue_name(step, properties);
  if (!step.may_repeat()) {
    const json::Value found = co_await step.call_or_null("sqs", "GetQueueUrl", json::Object{{"QueueName", name}},
                                                         {"QueueDoesNotExist"});
    if (!found.is_null()) throw AlreadyExists(cat("Resource of type 'AWS::SQS::Queue' with identifier '", name, "'"));
  }
  const json::Value made = co_await step.call(
      "sqs", "CreateQueue",
      json::Object{{"QueueName", name}, {"Attributes", queue_settings(properties)}, {"Tags", tag_map(step, properties)}});
  co_return made.find("QueueUrl")->string();
}

Task<std::string> update_queue(Step& step, std::string url, const json::Object& before, const json::Object& after) {
  json::Object attributes;
  const bool loses_key = before.find("KmsMasterKeyId") && !after.find("KmsMasterKeyId");
  for (const QueueDefault& one : kQueueDefaults) {
    // A key that goes leaves the other kind off, which a queue without a key has unless its template says otherwise.
    const bool is_told_again = one.name == "SqsManagedSseEnabled" && loses_key;
    if (same_member(before, after, one.name) && !is_told_again) continue;
    const json::Value* value = after.find(one.name);
    // A key ends the other kind by itself; both together are refused.
    if (!value && one.name == "SqsManagedSseEnabled" && after.find("KmsMasterKeyId")) continue;
    attributes.set(std::string(one.name), value ? queue_attribute(*value) : std::string(one.value));
  }
  if (!attributes.empty()) {
    co_await step.call("sqs", "SetQueueAttributes", json::Object{{"QueueUrl", url}, {"Attributes", attributes}});
  }
  const json::Object tags = tag_map(step, after);
  if (const json::Array gone = keys_gone(previous_tag_map(step, before), tags); !gone.empty()) {
    co_await step.take_away("sqs", "UntagQueue", json::Object{{"QueueUrl", url}, {"TagKeys", gone}},
                            {"InvalidParameterValue"});
  }
  if (!tags.empty()) co_await step.call("sqs", "TagQueue", json::Object{{"QueueUrl", url}, {"Tags", tags}});
  co_return url;
}

Task<void> remove_queue(Step& step, std::string url, const json::Object&) {
  co_await step.call_or_null("sqs", "DeleteQueue", json::Object{{"QueueUrl", url}}, {"QueueDoesNotExist"});
}

Task<json::Object> describe_queue(Step& step, std::string url, const json::Object&) {
  const std::string name = url.substr(url.rfind('/') + 1);
  co_return json::Object{{"Arn", step.arn("sqs", name)}, {"QueueName", name}, {"QueueUrl", url}};
}

Task<json::Object> read_queue(Step& step, std::string url) {
  const json::Value found = co_await step.call(
      "sqs", "GetQueueAttributes", json::Object{{"QueueUrl", url}, {"AttributeNames", json::Array{"All"}}});
  json::Object result{{"QueueName", url.substr(url.rfind('/') + 1)}};
  const json::Value* attributes = found.find("Attributes");
  for (const auto& [name, value] : attributes->object()) {
    const auto property = std::ranges::find(kQueueProperties, std::string_view(name), &Property::name);
    if (property == std::end(kQueueProperties) || !value.is_string() || value.string().empty()) continue;
    result.set(name, property_of_text(kQueueProperties, name, value.string()));
  }
  const json::Value tags = co_await step.call("sqs", "ListQueueTags", json::Object{{"QueueUrl", url}});
  set_tags(result, tags.find("Tags"));
  co_return result;
}

Task<std::vector<std::string>> list_queues(Step& step) {
  return list_all(step, "sqs", "ListQueues", "QueueUrls", "", json::Object{{"MaxResults", kQueuesAtOnce}});
}

}  // namespace

const ResourceType types::kSqsQueue = {
    .name = "AWS::SQS::Queue",
    .properties = kQueueProperties,
    .create = create_queue,
    .update = update_queue,
    .remove = remove_queue,
    .attributes = describe_queue,
    .read = read_queue,
    .list = list_queues,
    .name_property = "QueueName",
};

}  // namespace tidemill::cloudformation
