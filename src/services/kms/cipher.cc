#include "services/kms/cipher.h"

#include <stdexcept>

#include "base/text.h"
#include "services/kms/lookup.h"

namespace tidemill::kms {
namespace {

namespace errors = wire::kms::errors;

wire::Error not_a_ciphertext() { return errors::invalid_ciphertext_exception(""); }

wire::Error unknown_key() {
  return errors::access_denied_exception(
      "The ciphertext refers to a customer master key that does not exist, does not exist in this region, or you are "
      "not allowed to access.");
}

}  // namespace

Task<crypto::Secret> current_material(Service& service, Key key) {
  const auto master = co_await service.master().get();
  const auto snapshot = service.store().snapshot();
  auto material = co_await load_material(*snapshot, *master, key.address, key.material);
  if (material) co_return *std::move(material);
  // It went between the two looks, or never was.
  (void)co_await load_key(*snapshot, key.address);
  throw std::runtime_error(base::cat("the KMS key ", key.address.arn(), " lacks its material"));
}

Task<std::string> encrypt_with(Service& service, Key key, std::string_view plain, const EncryptionContext& context) {
  const crypto::Secret material = co_await current_material(service, key);
  co_return make_ciphertext({key.address.id, key.material}, material, plain, context);
}

Task<Decrypted> decrypt(Service& service, wire::Context& caller, std::string_view ciphertext,
                        const EncryptionContext& context, std::string key_id, std::string_view operation) {
  check_context(context);
  std::optional<Key> wanted;
  if (!key_id.empty()) wanted = co_await resolve_key(service, caller, key_id);
  const auto header = header_of(ciphertext);
  if (!header) throw not_a_ciphertext();
  if (wanted && wanted->address.id != header->key_id) {
    throw errors::incorrect_key_exception(
        "The key ID in the request does not identify a CMK that can perform this operation.");
  }
  const auto master = co_await service.master().get();
  const auto snapshot = service.store().snapshot();
  const auto key = co_await find_key(*snapshot, {caller.account, caller.region, header->key_id});
  if (!key) throw unknown_key();
  require_usable(*key, wire::kms::KeyUsage::kEncryptDecrypt, operation);
  const auto material = co_await load_material(*snapshot, *master, key->address, header->material_id);
  if (!material) throw not_a_ciphertext();
  auto plain = open_ciphertext(ciphertext, *material, context);
  if (!plain) throw not_a_ciphertext();
  co_return Decrypted{*key, header->material_id, *std::move(plain)};
}

void end_dry_run(const std::optional<bool>& dry_run) {
  if (!dry_run.value_or(false)) return;
  throw errors::dry_run_operation_exception("The request would have succeeded, but the DryRun option is set.");
}

}  // namespace tidemill::kms
