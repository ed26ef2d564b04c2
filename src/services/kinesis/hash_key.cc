#include "services/kinesis/hash_key.h"

#include <openssl/evp.h>

#include <algorithm>
#include <stdexcept>

namespace tidemill::kinesis {
namespace {

constexpr size_t kDigestSize = 16;

}  // namespace

HashKey hash_of(std::string_view partition_key) {
  // Fetched once: looking an algorithm up costs more than the digest of a short key.
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "MD5", nullptr);
  unsigned char digest[kDigestSize];
  if (!algorithm || EVP_Digest(partition_key.data(), partition_key.size(), digest, nullptr, algorithm, nullptr) != 1) {
    throw std::runtime_error("MD5 is not available");
  }
  HashKey result = 0;
  for (const unsigned char byte : digest) result = result << 8 | byte;
  return result;
}

std::optional<HashKey> parse_hash_key(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  HashKey result = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<unsigned>(c - '0');
    if (result > (kHashKeyMax - digit) / 10) return std::nullopt;
    result = result * 10 + digit;
  }
  return result;
}

std::string hash_key_text(HashKey key) {
  std::string text;
  do {
    text.push_back(static_cast<char>('0' + static_cast<int>(key % 10)));
    key /= 10;
  } while (key != 0);
  std::ranges::reverse(text);
  return text;
}

}  // namespace tidemill::kinesis
