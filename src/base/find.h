// Where one text is within another, in linear time: std::string_view::find takes the product of both sizes for texts like
// "aaaa…b" in "aaaa…", which matters where strangers choose both.
#pragma once

#include <cstring>
#include <string_view>

namespace tidemill::base {

// As text.find(part).
[[nodiscard]] inline size_t find(std::string_view text, std::string_view part) {
  if (part.empty()) return 0;
  const void* found = text.empty() ? nullptr : ::memmem(text.data(), text.size(), part.data(), part.size());
  return found ? static_cast<size_t>(static_cast<const char*>(found) - text.data()) : std::string_view::npos;
}

}  // namespace tidemill::base
