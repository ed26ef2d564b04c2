// Which Tidemill this is.
#pragma once

#include <string_view>

namespace tidemill {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace tidemill
