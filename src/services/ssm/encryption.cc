#include "services/ssm/encryption.h"

#include <stdexcept>

#include "base/base64.h"
#include "wire/registry.h"
#include "wire/shapes/kms.h"
#include "wire/shapes/ssm.h"

namespace tidemill::ssm {
namespace {

namespace kms = wire::kms;

std::map<std::string, std::string> context_of(const ParameterAddress& address) {
  return {{"PARAMETER_ARN", address.arn()}};
}

wire::Context on_behalf(const wire::Context& caller, std::string_view key) {
  wire::Context context = caller;
  if (key == kDefaultKey) context.principal = wire::Principal::platform();
  return context;
}

}  // namespace

Task<Encrypted> encrypt(wire::Context& caller, const ParameterAddress& address, std::string_view plain,
                        std::string key) {
  wire::Context context = on_behalf(caller, key);
  kms::EncryptInput request{.key_id = key, .plaintext = std::string(plain)};
  request.encryption_context = context_of(address);
  kms::EncryptOutput made;
  try {
    made = co_await context.registry().call<kms::ops::Encrypt>(context, request);
  } catch (const wire::Error& error) {
    throw wire::ssm::errors::invalid_key_id(error.message);
  }
  co_return Encrypted{base::base64_encode(*made.ciphertext_blob), std::move(key)};
}

Task<std::string> value_for(wire::Context& caller, const Parameter& parameter, bool decrypted) {
  if (!decrypted || !parameter.is_secure()) co_return parameter.value;
  wire::Context context = on_behalf(caller, parameter.key_id.value_or(""));
  auto blob = base::base64_decode(parameter.value);
  if (!blob) throw std::runtime_error("the value of a SecureString is damaged");
  kms::DecryptInput request{.ciphertext_blob = *std::move(blob)};
  request.encryption_context = context_of(parameter.address);
  kms::DecryptOutput opened;
  try {
    opened = co_await context.registry().call<kms::ops::Decrypt>(context, request);
  } catch (const wire::Error& error) {
    throw wire::ssm::errors::invalid_key_id(error.message);
  }
  co_return std::move(opened.plaintext).value();
}

}  // namespace tidemill::ssm
