#include "services/secretsmanager/sealing.h"

#include <stdexcept>

#include "base/text.h"
#include "crypto/sealing.h"
#include "wire/registry.h"
#include "wire/shapes/kms.h"
#include "wire/shapes/secretsmanager.h"

namespace tidemill::secretsmanager {
namespace {

using base::cat;
namespace errors = wire::secretsmanager::errors;
namespace kms = wire::kms;

constexpr std::string_view kDefaultKey = "alias/aws/secretsmanager";

std::map<std::string, std::string> context_of(const Secret& secret, const std::string& version) {
  return {{"SecretARN", secret.arn()}, {"SecretVersionId", version}};
}

wire::Context on_behalf(const wire::Context& caller, const Secret& secret) {
  wire::Context context = caller;
  if (!secret.kms_key_id) context.principal = wire::Principal::platform();
  return context;
}

}  // namespace

Task<SealedValue> seal_value(wire::Context& caller, const Secret& secret, std::string version, const Value& value) {
  wire::Context context = on_behalf(caller, secret);
  kms::GenerateDataKeyInput request{.key_id = secret.kms_key_id.value_or(std::string(kDefaultKey))};
  request.encryption_context = context_of(secret, version);
  request.key_spec = kms::DataKeySpec::kAes_256;
  kms::GenerateDataKeyOutput made;
  try {
    made = co_await context.registry().call<kms::ops::GenerateDataKey>(context, request);
  } catch (const wire::Error& error) {
    throw errors::encryption_failure(
        cat("Secrets Manager can't encrypt the protected secret text using the provided KMS key. ", error.message));
  }
  const crypto::Secret data_key(std::move(made.plaintext).value());
  co_return SealedValue{value.is_binary, std::move(made.ciphertext_blob).value(),
                        crypto::seal(data_key, value.bytes.bytes(), version)};
}

Task<Value> open_value(wire::Context& caller, const Secret& secret, std::string version, const SealedValue& sealed) {
  wire::Context context = on_behalf(caller, secret);
  kms::DecryptInput request{.ciphertext_blob = sealed.data_key};
  request.encryption_context = context_of(secret, version);
  kms::DecryptOutput opened;
  try {
    opened = co_await context.registry().call<kms::ops::Decrypt>(context, request);
  } catch (const wire::Error& error) {
    throw errors::decryption_failure(
        cat("Secrets Manager can't decrypt the protected secret text using the provided KMS key. ", error.message));
  }
  const crypto::Secret data_key(std::move(opened.plaintext).value());
  auto bytes = crypto::open_sealed(data_key, sealed.sealed, version);
  if (!bytes) throw std::runtime_error(cat("the value of the secret ", secret.arn(), " is damaged"));
  co_return Value{sealed.is_binary, *std::move(bytes)};
}

}  // namespace tidemill::secretsmanager
