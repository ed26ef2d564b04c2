// Small things about words that several files need.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace tidemill::s3 {

template <class Range, class Value>
[[nodiscard]] bool contains(const Range& range, const Value& value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}

// Of ASCII letters.
[[nodiscard]] inline std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return result;
}

// "%2C": a byte as addresses have what is no plain character.
[[nodiscard]] std::string percent_byte(char c);

// The moment in UTC, as strftime() writes it by `pattern`: "%Y-%m-%d".
[[nodiscard]] std::string calendar_text(base::Time time, const char* pattern);

}  // namespace tidemill::s3
