#include "engine/targets/queue_target.h"

#include "base/packed.h"
#include "engine/targets/internal_call.h"
#include "wire/registry.h"
#include "wire/shapes/sqs.h"

namespace tidemill::engine {
namespace {

constexpr uint8_t kVersion = 1;
constexpr auto kParts = [](auto& part, auto& message) {
  part(message.group_id);
  part(message.deduplication_id);
  part(message.attributes, append_attributes, read_attributes);
  part.rest(message.body);
};

constexpr auto kLetterParts = [](auto& part, auto& letter) {
  part(letter.by.role_arn);
  part(letter.by.session_name);
  part(letter.by.service);
  part(letter.by.source_arn);
  kParts(part, letter.message);
};

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

std::string encode_queue_message(const QueueMessage& message) { return base::pack(kVersion, message, kParts); }

QueueMessage decode_queue_message(std::string_view bytes) {
  return base::unpack<QueueMessage>(kVersion, bytes, kParts, "a stored message for a queue");
}

std::string encode_queue_letter(const QueueLetter& letter) { return base::pack(kVersion, letter, kLetterParts); }

QueueLetter decode_queue_letter(std::string_view bytes) {
  return base::unpack<QueueLetter>(kVersion, bytes, kLetterParts, "a stored letter for a queue");
}

wire::Principal sender_of(wire::Standing by) {
  if (by.role_arn.empty()) return wire::Principal::service(std::move(by.service), std::move(by.source_arn));
  return wire::Principal::role(std::move(by));
}

Task<store::SendOutcome> send_to_queue(wire::Platform& platform, std::string_view queue_arn,
                                       const QueueMessage& message, wire::Principal by) {
  wire::Context context = internal_context(platform, queue_arn, std::move(by), message.trace_header);
  co_return co_await call_once<wire::sqs::ops::SendMessage>(context, request_of(queue_arn, message));
}

}  // namespace tidemill::engine
