#include "crypto/digest.h"

// What OpenSSL 3 calls by other names it computes no faster, and only after an allocation or two: of a short text's digest
// these are most. Both use the processor's own instructions.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <stdexcept>

namespace tidemill::crypto {

namespace {

std::string digest_of(std::string_view text, const EVP_MD* algorithm) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  if (algorithm == nullptr ||
      EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &size, algorithm, nullptr) !=
          1) {
    throw std::runtime_error("a digest's algorithm is not available");
  }
  digest.resize(size);
  return digest;
}

}  // namespace

// Fetched once: looking an algorithm up costs more than the digest of a short text.
std::string md5(std::string_view text) {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "MD5", nullptr);
  return digest_of(text, algorithm);
}

std::string sha256(std::string_view text) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256_CTX state;
  SHA256_Init(&state);
  SHA256_Update(&state, text.data(), text.size());
  SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &state);
  return digest;
}

std::string sha1(std::string_view text) {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA1", nullptr);
  return digest_of(text, algorithm);
}

std::string sha384(std::string_view text) {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA384", nullptr);
  return digest_of(text, algorithm);
}

std::string sha512(std::string_view text) {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA512", nullptr);
  return digest_of(text, algorithm);
}

}  // namespace tidemill::crypto
