// What the operations do with a key's material.
#pragma once

#include <string>
#include <string_view>

#include "services/kms/ciphertext.h"
#include "services/kms/key.h"
#include "services/kms/service.h"
#include "wire/context.h"

namespace tidemill::kms {

// With the material that encrypts now, of a key that may be used.
Task<std::string> encrypt_with(Service& service, Key key, std::string_view plain, const EncryptionContext& context);

struct Decrypted {
  Key key;
  std::string material;  // the id of the one it was made with
  crypto::Secret plain;
};

// `key_id`: which key it must be; empty: the one that it names. Throws what Decrypt does.
Task<Decrypted> decrypt(Service& service, wire::Context& caller, std::string_view ciphertext,
                        const EncryptionContext& context, std::string key_id, std::string_view operation);

// The material of a key for authentication codes.
Task<crypto::Secret> current_material(Service& service, Key key);

// For whoever only wanted to know whether it would work: throws DryRunOperationException.
void end_dry_run(const std::optional<bool>& dry_run);

}  // namespace tidemill::kms
