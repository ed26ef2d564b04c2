#include "services/sqs/encryption.h"

#include "base/text.h"
#include "services/sqs/errors.h"
#include "services/sqs/message_attributes.h"

namespace tidemill::sqs {
namespace {

constexpr std::string_view kContextName = "aws:sqs:arn";

wire::Error refusal_of(const wire::Error& error, const wire::Context& context) {
  const auto fault = engine::key_fault_of(error);
  if (!fault) return error;
  std::string text = engine::key_fault_text(error, context.request_id);
  switch (*fault) {
    case engine::KeyFault::access_denied: return errors::kms_access_denied(std::move(text));
    case engine::KeyFault::disabled: return errors::kms_disabled(std::move(text));
    case engine::KeyFault::invalid_key_usage: return errors::kms_invalid_key_usage(std::move(text));
    case engine::KeyFault::invalid_state: return errors::kms_invalid_state(std::move(text));
    case engine::KeyFault::not_found: return errors::kms_not_found(std::move(text));
    case engine::KeyFault::throttled: return errors::kms_throttled(std::move(text));
  }
  return error;
}

}  // namespace

Task<void> seal_bodies(Service& service, wire::Context& sender, const Queue& queue, std::vector<NewMessage>& messages) {
  if (queue.settings.kms_key.empty()) co_return;
  engine::KeyUse use{.key_id = queue.settings.kms_key,
                     .context = {std::string(kContextName), queue.address.arn()}};
  engine::Sealing sealing;
  try {
    sealing = co_await service.data_keys().to_seal(sender, std::move(use), queue.settings.data_key_reuse);
  } catch (const wire::Error& error) {
    throw refusal_of(error, sender);
  }
  for (NewMessage& one : messages) {
    one.message.body = sealing.seal(one.message.body);
    one.message.envelope = sealing.envelope;
  }
}

Task<void> open_body(Service& service, const wire::Context& receiver, const Queue& queue, Message& message) {
  if (message.envelope.empty()) co_return;
  engine::Sealing sealing;
  try {
    sealing = co_await service.data_keys().to_open(receiver, std::move(message.envelope), queue.settings.data_key_reuse);
  } catch (const wire::Error& error) {
    throw refusal_of(error, receiver);
  }
  message.envelope = {};
  message.body = sealing.open(message.body);
  message.body_md5 = md5_of(message.body);
}

}  // namespace tidemill::sqs
