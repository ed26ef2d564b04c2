#include "engine/targets/topic_target.h"

#include "base/packed.h"
#include "engine/targets/internal_call.h"
#include "wire/shapes/sns.h"

namespace tidemill::engine {
namespace {

constexpr uint8_t kVersion = 1;
constexpr auto kParts = [](auto& part, auto& message) {
  part(message.subject);
  part(message.group_id);
  part(message.deduplication_id);
  part(message.attributes, append_attributes, read_attributes);
  part.rest(message.body);
};

wire::sns::PublishInput request_of(std::string_view topic_arn, const TopicMessage& message) {
  wire::sns::PublishInput request;
  request.topic_arn = std::string(topic_arn);
  request.message = message.body;
  if (!message.subject.empty()) request.subject = message.subject;
  if (!message.group_id.empty()) request.message_group_id = message.group_id;
  if (!message.deduplication_id.empty()) request.message_deduplication_id = message.deduplication_id;
  set_attributes(message.attributes, request.message_attributes);
  return request;
}

}  // namespace

std::string encode_topic_message(const TopicMessage& message) { return base::pack(kVersion, message, kParts); }

TopicMessage decode_topic_message(std::string_view bytes) {
  return base::unpack<TopicMessage>(kVersion, bytes, kParts, "a stored message for a topic");
}

Task<store::SendOutcome> publish_to_topic(wire::Platform& platform, std::string_view topic_arn,
                                          const TopicMessage& message, wire::Principal by) {
  wire::Context context = internal_context(platform, topic_arn, std::move(by), message.trace_header);
  co_return co_await call_once<wire::sns::ops::Publish>(context, request_of(topic_arn, message));
}

}  // namespace tidemill::engine
