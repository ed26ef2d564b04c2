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

SHA256_CTX state_behind(std::string_view key, unsigned char pad) {
  std::array<unsigned char, SHA256_CBLOCK> block;
  block.fill(pad);
  for (size_t i = 0; i < key.size(); ++i) block[i] = static_cast<unsigned char>(key[i]) ^ pad;
  SHA256_CTX state;
  SHA256_Init(&state);
  SHA256_Update(&state, block.data(), block.size());
  OPENSSL_cleanse(block.data(), block.size());
  return state;
}

Digest finish(SHA256_CTX state, const void* text, size_t size) {
  SHA256_Update(&state, text, size);
  Digest digest;
  SHA256_Final(digest.data(), &state);
  OPENSSL_cleanse(&state, sizeof state);
  return digest;
}

}  // namespace

// By hand: OpenSSL's own looks up algorithms and makes contexts at each call, which costs several times the digests.
struct HmacKey::States {
  SHA256_CTX inner;
  SHA256_CTX outer;
};

HmacKey::HmacKey(std::string_view key) : states_(std::make_unique<States>()) {
  std::string short_key;
  if (key.size() > SHA256_CBLOCK) key = short_key = sha256(key);
  states_->inner = state_behind(key, kInner);
  states_->outer = state_behind(key, kOuter);
}

HmacKey::~HmacKey() { OPENSSL_cleanse(states_.get(), sizeof *states_); }

std::string HmacKey::of(std::string_view text) const {
  const Digest inner = finish(states_->inner, text.data(), text.size());
  const Digest outer = finish(states_->outer, inner.data(), inner.size());
  return {reinterpret_cast<const char*>(outer.data()), outer.size()};
}

std::string hmac_sha256(std::string_view key, std::string_view text) { return HmacKey(key).of(text); }

bool same_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace tidemill::crypto
