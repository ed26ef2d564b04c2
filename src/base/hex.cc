#include "base/hex.h"

#include <array>

namespace tidemill::base {

namespace {

// The digits of every byte, two by two: signed requests have several digests written out.
constexpr std::array<char, 512> kPairs = [] {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<char, 512> pairs{};
  for (size_t byte = 0; byte < pairs.size() / 2; ++byte) {
    pairs[2 * byte] = kDigits[byte >> 4];
    pairs[2 * byte + 1] = kDigits[byte & 15];
  }
  return pairs;
}();

}  // namespace

std::string hex_of(std::string_view bytes) {
  std::string text(bytes.size() * 2, '\0');
  char* to = text.data();
  for (const char c : bytes) {
    const size_t at = 2 * static_cast<size_t>(static_cast<unsigned char>(c));
    *to++ = kPairs[at];
    *to++ = kPairs[at + 1];
  }
  return text;
}

std::optional<std::string> bytes_of_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(high << 4 | low));
  }
  return bytes;
}

}  // namespace tidemill::base
