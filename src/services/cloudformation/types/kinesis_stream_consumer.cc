// AWS::Kinesis::StreamConsumer.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr std::chrono::minutes kConsumerSettlesMax{30};

constexpr Property kConsumerProperties[] = {
    {.name = "ConsumerName", .required = true, .update = Update::replaces},
    {.name = "StreamARN", .required = true, .update = Update::replaces},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .update = Update::replaces, .members = kTagProperties},
};

// Empty: there is none.
Task<json::Object> found_consumer(Step& step, json::Object key) {
  const json::Value answer =
      co_await step.call_or_null("kinesis", "DescribeStreamConsumer", std::move(key), {"ResourceNotFoundException"});
  co_return answer.is_object() ? object_of(answer.object(), "ConsumerDescription") : json::Object();
}

Task<bool> consumer_is(Step& step, json::Object key, std::string status) {
  const json::Object found = co_await found_consumer(step, std::move(key));
  co_return text_of(found, "ConsumerStatus") == status;
}

Task<std::string> create_consumer(Step& step, const json::Object& properties) {
  const json::Object key = take(properties, {"StreamARN", "ConsumerName"});
  co_await claim(step, text_of(properties, "ConsumerName"),
                 {"kinesis", "DescribeStreamConsumer", key, {"ResourceNotFoundException"}});
  json::Object request = key;
  if (json::Object tags = tag_map(step, properties); !tags.empty()) request.set("Tags", std::move(tags));
  co_await step.call_or_null("kinesis", "RegisterStreamConsumer", std::move(request), {"ResourceInUseException"});
  const json::Object found = co_await found_consumer(step, key);
  const std::string arn = text_of(found, "ConsumerARN");
  co_await step.made(arn);
  if (!co_await step.wait_until([&] { return consumer_is(step, key, "ACTIVE"); }, kConsumerSettlesMax)) {
    throw InvalidRequest("The stream's consumer did not become ACTIVE in time.");
  }
  co_return arn;
}

Task<void> remove_consumer(Step& step, std::string arn, const json::Object&) {
  const json::Object key{{"ConsumerARN", arn}};
  co_await step.call_or_null("kinesis", "DeregisterStreamConsumer", key, {"ResourceNotFoundException"});
  if (!co_await step.wait_until([&] { return consumer_is(step, key, ""); }, kConsumerSettlesMax)) {
    throw InvalidRequest("The stream's consumer was not removed in time.");
  }
}

Task<json::Object> describe_consumer(Step& step, std::string arn, const json::Object&) {
  const json::Object found = co_await found_consumer(step, json::Object{{"ConsumerARN", arn}});
  co_return take(found, {"ConsumerARN", "ConsumerName", "ConsumerStatus", "ConsumerCreationTimestamp", "StreamARN"});
}

}  // namespace

const ResourceType types::kKinesisStreamConsumer = {
    .name = "AWS::Kinesis::StreamConsumer",
    .properties = kConsumerProperties,
    .create = create_consumer,
    .remove = remove_consumer,
    .attributes = describe_consumer,
};

}  // namespace tidemill::cloudformation
