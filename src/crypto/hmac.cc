#include "crypto/hmac.h"

#define OPENSSL_SUPPRESS_DEPRECATED  // crypto/digest.cc says why
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <array>

#include "crypto/digest.h"

namespace tidemill::crypto {

namespace {

constexpr unsigned char kInner = 0x36;
constexpr unsigned char kOuter = 0x5C;

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest digest_behind_key(std::string_view key, unsigned char pad, const void* text, size_t size) {
  std::array<unsigned char, SHA256_CBLOCK> block;
  block.fill(pad);
  for (size_t i = 0; i < key.size(); ++i) block[i] = static_cast<unsigned char>(key[i]) ^ pad;
  SHA256_CTX state;
  SHA256_Init(&state);
  SHA256_Update(&state, block.data(), block.size());
  SHA256_Update(&state, text, size);
  Digest digest;
  SHA256_Final(digest.data(), &state);
  OPENSSL_cleanse(block.data(), block.size());
  OPENSSL_cleanse(&state, sizeof state);
  return digest;
}

}  // namespace

// By hand: OpenSSL's own looks up algorithms and makes contexts at each call, which costs several times the digests.
std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::string short_key;
  if (key.size() > SHA256_CBLOCK) key = short_key = sha256(key);
  const Digest inner = digest_behind_key(key, kInner, text.data(), text.size());
  const Digest outer = digest_behind_key(key, kOuter, inner.data(), inner.size());
  return {reinterpret_cast<const char*>(outer.data()), outer.size()};
}

bool same_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace tidemill::crypto
