#include "services/sns/encryption.h"

#include "engine/targets/internal_call.h"
#include "services/sns/errors.h"

namespace tidemill::sns {
namespace {

constexpr std::string_view kContextName = "aws:sns:topicArn";

constexpr engine::KeyErrors kKeyErrors{.access_denied = errors::kms_access_denied_exception,
                                       .disabled = errors::kms_disabled_exception,
                                       .invalid_key_usage = errors::kms_invalid_state_exception,
                                       .invalid_state = errors::kms_invalid_state_exception,
                                       .not_found = errors::kms_not_found_exception,
                                       .throttled = errors::kms_throttling_exception};

}  // namespace

Task<void> choose_sealing(engine::DataKeys& keys, wire::Context& publisher, const Topic& topic,
                          std::vector<Message>& messages) {
  if (topic.kms_key.empty()) co_return;
  engine::KeyUse use{.key_id = topic.kms_key, .context = {std::string(kContextName), topic.address.arn()}};
  engine::Sealing sealing;
  try {
    sealing = co_await keys.to_seal(publisher, std::move(use), kDataKeyReuse);
  } catch (const wire::Error& error) {
    throw engine::key_refusal(kKeyErrors, error, publisher);
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
