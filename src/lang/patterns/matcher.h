// Inside: what one value of an event is compared with.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace tidemill::lang::patterns {

// Addresses as 16 bytes; IPv4 ones stand as ::ffff:a.b.c.d, so that the two kinds never meet.
struct AddressRange {
  std::array<uint8_t, 16> base{};
  int bits = 0;  // of `base` that count

  [[nodiscard]] bool contains(std::string_view address) const;
  // "10.0.0.0/8", "2001:db8::/32". Throws PatternError.
  static AddressRange parse(std::string_view text);
};

struct NumberRange {
  std::optional<double> bottom;
  std::optional<double> top;
  bool includes_bottom = false;
  bool includes_top = false;

  [[nodiscard]] bool contains(double number) const;
};

struct Matcher {
  enum class Kind {
    null, boolean, number, text, prefix, suffix, wildcard, numeric, cidr, exists, absent, anything_but
  };
  Kind kind = Kind::null;
  bool flag = false;          // boolean's value; of text, prefix and suffix: regardless of case (`text` is folded)
  double number = 0;
  std::string text;
  NumberRange range;
  AddressRange addresses;
  std::vector<std::string> pieces;   // of a wildcard: what stands between the stars
  std::vector<Matcher> exceptions;   // of anything-but

  // Of a value that is neither array nor object. `absent` never does: it is about what is not there.
  [[nodiscard]] bool matches(const json::Value& value) const;
};

// "a*b\*" as its pieces: {"a", "b*"}. Throws PatternError.
[[nodiscard]] std::vector<std::string> parse_wildcard(std::string_view text);
[[nodiscard]] bool matches_wildcard(const std::vector<std::string>& pieces, std::string_view text);

// Letters of Latin, Greek and Cyrillic in lower case.
[[nodiscard]] std::string fold_case(std::string_view text);

}  // namespace tidemill::lang::patterns
