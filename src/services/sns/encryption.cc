#include "services/sns/encryption.h"

#include "engine/targets/internal_call.h"
#include "services/sns/errors.h"

namespace tidemill::sns {
namespace {

constexpr std::string_view kContextName = "aws:sns:topicArn";

wire::Error refusal_of(const wire::Error& error, const wire::Context& context) {
  const auto fault = engine::key_fault_of(error);
  if (!fault) return error;
  std::string text = engine::key_fault_text(error, context.request_id);
  switch (*fault) {
    case engine::KeyFault::access_denied: return errors::kms_access_denied_exception(std::move(text));
    case engine::KeyFault::disabled: return errors::kms_disabled_exception(std::move(text));
    case engine::KeyFault::invalid_key_usage:
    case engine::KeyFault::invalid_state: return errors::kms_invalid_state_exception(std::move(text));
    case engine::KeyFault::not_found: return errors::kms_not_found_exception(std::move(text));
    case engine::KeyFault::throttled: return errors::kms_throttling_exception(std::move(text));
  }
  return error;
}

}  // namespace

Task<void> choose_sealing(engine::DataKeys& keys, wire::Context& publisher, const Topic& topic,
                          std::vector<Message>& messages) {
  if (topic.kms_key.empty()) co_return;
  engine::KeyUse use{.key_id = topic.kms_key, .context = {std::string(kContextName), topic.address.arn()}};
  engine::Sealing sealing;
  try {
    sealing = co_await keys.to_seal(publisher, std::move(use), kDataKeyReuse);
  } catch (const wire::Error& error) {
    throw refusal_of(error, publisher);
  }
  for (Message& message : messages) message.sealing = sealing;
}

Task<void> open_texts(engine::DataKeys& keys, wire::Platform& platform, Message& message) {
  if (message.envelope.empty()) co_return;
  const wire::Context context = engine::internal_context(platform, message.topic.arn());
  const engine::Sealing sealing = co_await keys.to_open(context, message.envelope, kDataKeyReuse);
  message.texts = decode_texts(sealing.open(message.sealed));
  message.envelope = {};
  message.sealed.clear();
}

}  // namespace tidemill::sns
