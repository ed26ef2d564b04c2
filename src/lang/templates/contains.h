// Inside: whether a list holds a value (std::ranges::contains, which this standard library lacks).
#pragma once

#include <algorithm>

namespace tidemill::lang::templates {

[[nodiscard]] bool contains(const auto& list, const auto& value) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}

}  // namespace tidemill::lang::templates
