// What Encrypt gives: u8(1), the key's UUID (16 bytes), its material's id (32 bytes), and the text sealed with that material
// (crypto/sealing.h). The sealing's context is all that stands before it, and the encryption context.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "crypto/secret.h"

namespace tidemill::kms {

using EncryptionContext = std::optional<std::map<std::string, std::string>>;

// Of all keys and values together.
inline constexpr size_t kEncryptionContextSizeMax = 8192;
// Throws ValidationException for one that is too large.
void check_context(const EncryptionContext& context);

// Which key it was made with.
struct CiphertextHeader {
  std::string key_id;       // a UUID
  std::string material_id;  // 64 hexadecimal digits
};

[[nodiscard]] std::string make_ciphertext(const CiphertextHeader& header, const crypto::Secret& material,
                                          std::string_view plain, const EncryptionContext& context);

// Nothing: it is no ciphertext of ours.
[[nodiscard]] std::optional<CiphertextHeader> header_of(std::string_view ciphertext);
// Of what has a header. Nothing: it was made with another material or context, or has been changed.
[[nodiscard]] std::optional<crypto::Secret> open_ciphertext(std::string_view ciphertext, const crypto::Secret& material,
                                                            const EncryptionContext& context);

}  // namespace tidemill::kms
