#include "engine/targets/topic_target.h"

#include <stdexcept>

#include "engine/targets/internal_call.h"
#include "wire/shapes/sns.h"

namespace tidemill::engine {
namespace {

constexpr uint8_t kVersion = 1;

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

std::string encode_topic_message(const TopicMessage& message) {
  std::string bytes;
  base::append_u8(bytes, kVersion);
  base::append_string(bytes, message.subject);
  base::append_string(bytes, message.group_id);
  base::append_string(bytes, message.deduplication_id);
  append_attributes(bytes, message.attributes);
  base::append_fixed(bytes, message.body);
  return bytes;
}

TopicMessage decode_topic_message(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  TopicMessage message;
  const bool is_known = reader.u8() == kVersion;
  message.subject = reader.string();
  message.group_id = reader.string();
  message.deduplication_id = reader.string();
  message.attributes = read_attributes(reader);
  message.body = reader.rest();
  if (!is_known || !reader.ok()) throw std::runtime_error("a stored message for a topic is damaged");
  return message;
}

Task<store::SendOutcome> publish_to_topic(wire::Platform& platform, std::string_view topic_arn,
                                          const TopicMessage& message) {
  wire::Context context = internal_context(platform, topic_arn);
  co_return co_await call_once<wire::sns::ops::Publish>(context, request_of(topic_arn, message));
}

}  // namespace tidemill::engine
