// GenerateDataKey, GenerateDataKeyWithoutPlaintext and GenerateRandom.
#include "crypto/random.h"
#include "services/kms/cipher.h"
#include "services/kms/lookup.h"
#include "services/kms/operations.h"

namespace tidemill::kms {
namespace {

namespace errors = shapes::errors;

constexpr size_t kAes256Bytes = 32;
constexpr size_t kAes128Bytes = 16;

template <class Request>
size_t size_of_key(const Request& request) {
  if (request.number_of_bytes.has_value() == request.key_spec.has_value()) {
    throw errors::validation_exception("Please specify either number of bytes or key spec.");
  }
  if (request.number_of_bytes) return static_cast<size_t>(*request.number_of_bytes);
  return *request.key_spec == shapes::DataKeySpec::kAes_256 ? kAes256Bytes : kAes128Bytes;
}

struct DataKey {
  crypto::Secret plain;
  std::string ciphertext;
  Key key;
};

template <class Request>
Task<DataKey> make_data_key(Service& service, wire::Context& context, const Request& request,
                            std::string_view operation) {
  check_context(request.encryption_context);
  const size_t size = size_of_key(request);
  Key key = co_await resolve_key(service, context, request.key_id);
  require_usable(key, shapes::KeyUsage::kEncryptDecrypt, operation);
  end_dry_run(request.dry_run);
  DataKey made{.plain = crypto::new_secret(size), .key = std::move(key)};
  made.ciphertext = co_await encrypt_with(service, made.key, made.plain.bytes(), request.encryption_context);
  co_return made;
}

}  // namespace

Task<shapes::GenerateDataKeyOutput> generate_data_key(Service& service, wire::Context& context,
                                                      const shapes::GenerateDataKeyInput& request) {
  DataKey made = co_await make_data_key(service, context, request, "GenerateDataKey");
  shapes::GenerateDataKeyOutput out;
  out.ciphertext_blob = std::move(made.ciphertext);
  out.plaintext = made.plain.bytes();
  out.key_id = made.key.address.arn();
  out.key_material_id = made.key.material;
  co_return out;
}

Task<shapes::GenerateDataKeyWithoutPlaintextOutput> generate_data_key_without_plaintext(
    Service& service, wire::Context& context, const shapes::GenerateDataKeyWithoutPlaintextInput& request) {
  DataKey made = co_await make_data_key(service, context, request, "GenerateDataKeyWithoutPlaintext");
  shapes::GenerateDataKeyWithoutPlaintextOutput out;
  out.ciphertext_blob = std::move(made.ciphertext);
  out.key_id = made.key.address.arn();
  out.key_material_id = made.key.material;
  co_return out;
}

Task<shapes::GenerateRandomOutput> generate_random(Service&, wire::Context&, const shapes::GenerateRandomInput& request) {
  if (!request.number_of_bytes) throw errors::validation_exception("NumberOfBytes is required.");
  shapes::GenerateRandomOutput out;
  out.plaintext = crypto::random_bytes(static_cast<size_t>(*request.number_of_bytes));
  co_return out;
}

}  // namespace tidemill::kms
