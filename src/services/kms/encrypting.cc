// Encrypt, Decrypt and ReEncrypt.
#include "services/kms/cipher.h"
#include "services/kms/lookup.h"
#include "services/kms/operations.h"

namespace tidemill::kms {
namespace {

namespace errors = shapes::errors;

const std::string kAlgorithm(shapes::EncryptionAlgorithm::kSymmetricDefault);

void check_algorithm(const std::optional<std::string>& asked) {
  if (!asked || *asked == kAlgorithm) return;
  throw errors::invalid_key_usage_exception(
      base::cat("The algorithm ", *asked, " is not valid for keys of the spec SYMMETRIC_DEFAULT."));
}

}  // namespace

Task<shapes::EncryptOutput> encrypt(Service& service, wire::Context& context, const shapes::EncryptInput& request) {
  check_context(request.encryption_context);
  const Key key = co_await resolve_key(service, context, request.key_id);
  require_usable(key, shapes::KeyUsage::kEncryptDecrypt, "Encrypt");
  check_algorithm(request.encryption_algorithm);
  end_dry_run(request.dry_run);
  shapes::EncryptOutput out;
  out.ciphertext_blob = co_await encrypt_with(service, key, request.plaintext, request.encryption_context);
  out.key_id = key.address.arn();
  out.encryption_algorithm = kAlgorithm;
  co_return out;
}

Task<shapes::DecryptOutput> decrypt(Service& service, wire::Context& context, const shapes::DecryptInput& request) {
  check_algorithm(request.encryption_algorithm);
  const Decrypted opened = co_await decrypt(service, context, request.ciphertext_blob, request.encryption_context,
                                            request.key_id.value_or(""), "Decrypt");
  end_dry_run(request.dry_run);
  shapes::DecryptOutput out;
  out.key_id = opened.key.address.arn();
  out.plaintext = opened.plain.bytes();
  out.encryption_algorithm = kAlgorithm;
  out.key_material_id = opened.material;
  co_return out;
}

Task<shapes::ReEncryptOutput> re_encrypt(Service& service, wire::Context& context,
                                         const shapes::ReEncryptInput& request) {
  check_context(request.destination_encryption_context);
  check_algorithm(request.source_encryption_algorithm);
  check_algorithm(request.destination_encryption_algorithm);
  const Decrypted opened = co_await decrypt(service, context, request.ciphertext_blob, request.source_encryption_context,
                                            request.source_key_id.value_or(""), "ReEncryptFrom");
  const Key key = co_await resolve_key(service, context, request.destination_key_id);
  require_usable(key, shapes::KeyUsage::kEncryptDecrypt, "ReEncryptTo");
  end_dry_run(request.dry_run);
  shapes::ReEncryptOutput out;
  out.ciphertext_blob =
      co_await encrypt_with(service, key, opened.plain.bytes(), request.destination_encryption_context);
  out.source_key_id = opened.key.address.arn();
  out.key_id = key.address.arn();
  out.source_encryption_algorithm = kAlgorithm;
  out.destination_encryption_algorithm = kAlgorithm;
  out.source_key_material_id = opened.material;
  out.destination_key_material_id = key.material;
  co_return out;
}

}  // namespace tidemill::kms
