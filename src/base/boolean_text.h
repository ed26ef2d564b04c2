// Truth values as some services of AWS take them: in any mixture of upper and lower case, kept in lower case.
#pragma once

#include <algorithm>
#include <string>

namespace tidemill::base {

// "TrUe" becomes "true", "False" becomes "false"; anything else stays as it is.
[[nodiscard]] inline std::string canonical_boolean(std::string text) {
  std::string small = text;
  std::ranges::transform(small, small.begin(),
                         [](char letter) { return letter >= 'A' && letter <= 'Z' ? char(letter - 'A' + 'a') : letter; });
  return small == "true" || small == "false" ? small : text;
}

}  // namespace tidemill::base
