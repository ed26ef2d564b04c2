#include "crypto/digest.h"

#include <openssl/evp.h>

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
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return digest_of(text, algorithm);
}

}  // namespace tidemill::crypto
