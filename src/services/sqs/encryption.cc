#include "services/sqs/encryption.h"

#include "base/text.h"
#include "services/sqs/errors.h"
#include "services/sqs/message_attributes.h"

namespace tidemill::sqs {
namespace {

constexpr std::string_view kContextName = "aws:sqs:arn";
constexpr std::string_view kOwnKey = "alias/aws/sqs";

constexpr engine::KeyErrors kKeyErrors{.access_denied = errors::kms_access_denied,
                                       .disabled = errors::kms_disabled,
                                       .invalid_key_usage = errors::kms_invalid_key_usage,
                                       .invalid_state = errors::kms_invalid_state,
                                       .not_found = errors::kms_not_found,
                                       .throttled = errors::kms_throttled};

}  // namespace

Task<void> seal_bodies(Service& service, wire::Context& sender, const Queue& queue, std::vector<NewMessage>& messages) {
  const bool is_own = queue.settings.kms_key.empty();
  if (is_own && !queue.settings.has_managed_key) co_return;
  engine::KeyUse use{.key_id = is_own ? std::string(kOwnKey) : queue.settings.kms_key,
                     .context = {std::string(kContextName), queue.address.arn()}};
  engine::Sealing sealing;
  try {
    sealing = co_await service.data_keys().to_seal(sender, std::move(use), queue.settings.data_key_reuse);
  } catch (const wire::Error& error) {
    throw engine::key_refusal(kKeyErrors, error, sender);
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
    sealing =
        co_await service.data_keys().to_open(receiver, std::move(message.envelope), queue.settings.data_key_reuse);
  } catch (const wire::Error& error) {
    throw engine::key_refusal(kKeyErrors, error, receiver);
  }
  message.envelope = {};
  message.body = sealing.open(message.body);
  message.body_md5 = md5_of(message.body);
}

}  // namespace tidemill::sqs
