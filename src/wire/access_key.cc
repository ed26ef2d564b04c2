#include "wire/access_key.h"

#include <charconv>
#include <cstdint>

#include "base/base64.h"
#include "crypto/random.h"

namespace tidemill::wire {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr int kBitsOfLetter = 5;
constexpr size_t kKindSize = 4;
constexpr size_t kIdSize = 20;
constexpr size_t kAccountDigits = 12;
constexpr size_t kAccountLetters = 9;  // 45 bits: the mark, the account and the first four random ones
constexpr int kAccountBits = 40;
constexpr int kBitsBehindAccount = 4;
constexpr uint64_t kAccountMask = (uint64_t{1} << kAccountBits) - 1;
constexpr uint64_t kMark = uint64_t{1} << (kAccountBits + kBitsBehindAccount);
constexpr uint64_t kAccountMax = 999'999'999'999;
constexpr size_t kSecretBytes = 30;

}  // namespace

std::optional<std::string> account_of_access_key(std::string_view id) {
  if (id.size() != kIdSize || !(id.starts_with(kUserKeys) || id.starts_with(kSessionKeys))) return std::nullopt;
  for (const char letter : id.substr(kKindSize)) {
    if (kLetters.find(letter) == std::string_view::npos) return std::nullopt;
  }
  uint64_t bits = 0;
  for (const char letter : id.substr(kKindSize, kAccountLetters)) bits = bits << kBitsOfLetter | kLetters.find(letter);
  const uint64_t account = bits >> kBitsBehindAccount & kAccountMask;
  if ((bits & kMark) == 0 || account > kAccountMax) return std::nullopt;
  std::string digits = std::to_string(account);
  return digits.insert(0, kAccountDigits - digits.size(), '0');
}

std::string new_access_key_id(std::string_view kind, std::string_view account) {
  uint64_t number = 0;
  std::from_chars(account.data(), account.data() + account.size(), number);
  const auto random = static_cast<uint64_t>(crypto::random_bytes(1).front()) & ((1U << kBitsBehindAccount) - 1);
  const uint64_t bits = kMark | (number & kAccountMask) << kBitsBehindAccount | random;
  std::string id(kind);
  for (int left = static_cast<int>(kAccountLetters) - 1; left >= 0; --left) {
    id += kLetters[bits >> (left * kBitsOfLetter) & (kLetters.size() - 1)];
  }
  return id + random_base32(kIdSize - id.size());
}

std::string new_secret_access_key() { return base::base64_encode(crypto::random_bytes(kSecretBytes)); }

std::string random_base32(size_t count) {
  std::string text = crypto::random_bytes(count);
  for (char& letter : text) letter = kLetters[static_cast<unsigned char>(letter) % kLetters.size()];
  return text;
}

}  // namespace tidemill::wire
