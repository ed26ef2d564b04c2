// Authenticated encryption: AES-256-GCM (NIST SP 800-38D) with keys that are drawn anew for each message, so that one
// secret seals any number of them.
//
//   const std::string sealed = crypto::seal(secret, "plain", "what it belongs to");
//   const auto plain = crypto::open_sealed(secret, sealed, "what it belongs to");   // nothing: not sealed so
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crypto/secret.h"

namespace tidemill::crypto {

// Of secrets that seal.
inline constexpr size_t kSealingKeySize = 32;

// What sealing adds: the salt (32 bytes) from which with the secret the message's key and nonce are derived, and the tag.
inline constexpr size_t kSealingSaltSize = 32;
inline constexpr size_t kSealingTagSize = 16;
inline constexpr size_t kSealedExtra = kSealingSaltSize + kSealingTagSize;

// salt, ciphertext, tag. The key and the nonce are HMAC-SHA-512(secret, salt), its bytes 0 to 31 and 32 to 43, so a
// nonce of 96 bits that repeats by chance does no harm. `context` is authenticated and not contained. Any thread.
// Throws std::logic_error for a secret of another size.
[[nodiscard]] std::string seal(const Secret& secret, std::string_view plain, std::string_view context);

// Nothing: it was not sealed with this secret and context, or has been changed.
[[nodiscard]] std::optional<Secret> open_sealed(const Secret& secret, std::string_view sealed, std::string_view context);

// HMAC (RFC 2104) with the digest that OpenSSL knows by this name: "SHA256".
[[nodiscard]] std::string authentication_code(const char* digest, std::string_view key, std::string_view text);

// In a time that does not tell where they differ.
[[nodiscard]] bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace tidemill::crypto
