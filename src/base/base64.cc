#include "base/base64.h"

#include <array>
#include <cstdint>

namespace tidemill::base {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kInvalid = 0xff;

constexpr std::array<uint8_t, 256> kValues = [] {
  std::array<uint8_t, 256> values{};
  values.fill(kInvalid);
  for (uint8_t i = 0; i < 64; ++i) values[static_cast<uint8_t>(kAlphabet[i])] = i;
  return values;
}();

uint8_t value_of(char c) { return kValues[static_cast<uint8_t>(c)]; }

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  const size_t begin = out.size();
  const size_t size = begin + base64_encoded_size(bytes.size());
  // libstdc++ 12 hands the function the capacity, not the size asked for.
  out.resize_and_overwrite(size, [&](char* data, size_t) {
    char* to = data + begin;
    const auto* from = reinterpret_cast<const uint8_t*>(bytes.data());
    size_t left = bytes.size();
    for (; left >= 3; left -= 3, from += 3) {
      const uint32_t group = static_cast<uint32_t>(from[0] << 16 | from[1] << 8 | from[2]);
      *to++ = kAlphabet[group >> 18];
      *to++ = kAlphabet[group >> 12 & 63];
      *to++ = kAlphabet[group >> 6 & 63];
      *to++ = kAlphabet[group & 63];
    }
    if (left != 0) {
      const uint32_t group = static_cast<uint32_t>(from[0] << 16 | (left == 2 ? from[1] << 8 : 0));
      *to++ = kAlphabet[group >> 18];
      *to++ = kAlphabet[group >> 12 & 63];
      *to++ = left == 2 ? kAlphabet[group >> 6 & 63] : '=';
      *to++ = '=';
    }
    return size;
  });
}

std::string base64_encode(std::string_view bytes) {
  std::string text;
  append_base64(text, bytes);
  return text;
}

bool append_base64_decoded(std::string& out, std::string_view text) {
  if (text.size() % 4 != 0) return false;
  if (text.empty()) return true;
  size_t padding = 0;
  if (text.back() == '=') padding = text[text.size() - 2] == '=' ? 2 : 1;
  const size_t begin = out.size();
  bool valid = true;
  const size_t size = begin + text.size() / 4 * 3 - padding;
  out.resize_and_overwrite(size, [&](char* data, size_t) {
    char* to = data + begin;
    const char* from = text.data();
    const char* const whole_end = from + text.size() - (padding != 0 ? 4 : 0);
    uint32_t seen = 0;  // some bit above the sixth is set once a character was invalid
    for (; from != whole_end; from += 4) {
      const uint32_t a = value_of(from[0]), b = value_of(from[1]), c = value_of(from[2]), d = value_of(from[3]);
      seen |= a | b | c | d;
      const uint32_t group = a << 18 | b << 12 | c << 6 | d;
      *to++ = static_cast<char>(group >> 16);
      *to++ = static_cast<char>(group >> 8);
      *to++ = static_cast<char>(group);
    }
    if (padding != 0) {
      const uint32_t a = value_of(from[0]), b = value_of(from[1]), c = padding == 1 ? value_of(from[2]) : 0;
      seen |= a | b | c;
      *to++ = static_cast<char>(a << 2 | b >> 4);
      if (padding == 1) *to++ = static_cast<char>(b << 4 | c >> 2);
      if (padding == 1 ? (c & 3) != 0 : (b & 15) != 0) valid = false;
    }
    if (seen > 63) valid = false;
    return valid ? size : begin;
  });
  return valid;
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string bytes;
  if (!append_base64_decoded(bytes, text)) return std::nullopt;
  return bytes;
}

}  // namespace tidemill::base
