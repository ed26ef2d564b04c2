#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace tidemill::base {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// The size of the character at `at`; 0: there is none.
size_t character_size(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<uint8_t>(text[at + i]) : uint8_t{0}; };
  const auto continues = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;   // written longer than it is
    if (first == 0xed && byte(1) >= 0xa0) return 0;  // surrogates
    return 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) >= 0x90) return 0;  // beyond U+10FFFF
    return 4;
  }
  return 0;
}

// How much of the text is plain ASCII, from `at` on, in steps of eight bytes.
size_t ascii_prefix(std::string_view text, size_t at) {
  size_t size = 0;
  uint64_t word = 0;
  while (at + size + sizeof word <= text.size()) {
    std::memcpy(&word, text.data() + at + size, sizeof word);
    if (word & 0x8080808080808080ull) break;
    size += sizeof word;
  }
  return size;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    at += ascii_prefix(text, at);
    if (at == text.size()) break;
    const size_t size = character_size(text, at);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

std::pair<uint32_t, size_t> character_at(std::string_view text, size_t at) {
  const size_t size = character_size(text, at);
  if (size == 0) return {kNoCharacter, 1};
  const uint8_t first = static_cast<uint8_t>(text[at]);
  uint32_t code = size == 1 ? first : first & (0xffu >> (size + 1));
  for (size_t i = 1; i < size; ++i) code = code << 6 | (static_cast<uint8_t>(text[at + i]) & 0x3f);
  return {code, size};
}

std::string to_utf8(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t size = character_size(text, at);
    result.append(size == 0 ? kReplacement : text.substr(at, size));
    at += size == 0 ? 1 : size;
  }
  return result;
}

}  // namespace tidemill::base
