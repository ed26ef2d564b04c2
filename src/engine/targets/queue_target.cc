#include "engine/targets/queue_target.h"

#include <stdexcept>

#include "base/ordered.h"
#include "engine/targets/internal_call.h"
#include "wire/registry.h"
#include "wire/shapes/sqs.h"

namespace tidemill::engine {
namespace {

constexpr uint8_t kVersion = 1;

wire::sqs::SendMessageInput request_of(std::string_view queue_arn, const QueueMessage& message) {
  wire::sqs::SendMessageInput request;
  // A name alone names a queue of the context's account and region.
  request.queue_url = std::string(queue_arn.substr(queue_arn.rfind(':') + 1));
  request.message_body = message.body;
  if (!message.group_id.empty()) request.message_group_id = message.group_id;
  if (!message.deduplication_id.empty()) request.message_deduplication_id = message.deduplication_id;
  set_attributes(message.attributes, request.message_attributes);
  return request;
}

}  // namespace

std::string encode_queue_message(const QueueMessage& message) {
  std::string bytes;
  base::append_u8(bytes, kVersion);
  base::append_string(bytes, message.group_id);
  base::append_string(bytes, message.deduplication_id);
  append_attributes(bytes, message.attributes);
  base::append_fixed(bytes, message.body);
  return bytes;
}

QueueMessage decode_queue_message(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  QueueMessage message;
  const bool is_known = reader.u8() == kVersion;
  message.group_id = reader.string();
  message.deduplication_id = reader.string();
  message.attributes = read_attributes(reader);
  message.body = reader.rest();
  if (!is_known || !reader.ok()) throw std::runtime_error("a stored message for a queue is damaged");
  return message;
}

Task<store::SendOutcome> send_to_queue(wire::Platform& platform, std::string_view queue_arn,
                                       const QueueMessage& message) {
  wire::Context context = internal_context(platform, queue_arn);
  co_return co_await call_once<wire::sqs::ops::SendMessage>(context, request_of(queue_arn, message));
}

}  // namespace tidemill::engine
