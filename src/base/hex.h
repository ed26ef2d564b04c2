// Hexadecimal text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::base {

// 0 to 15, either case; -1: no digit.
[[nodiscard]] constexpr int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Two lower-case digits for each byte.
[[nodiscard]] std::string hex_of(std::string_view bytes);

// The reverse; nothing for what is no pairs of digits, of either case.
[[nodiscard]] std::optional<std::string> bytes_of_hex(std::string_view text);

}  // namespace tidemill::base
