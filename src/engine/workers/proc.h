// Small readers of /proc.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tidemill::engine {

// Calls `take` with each name in a directory until that returns false. None if it is not there, or not ours to read.
void each_name(const std::string& directory, const std::function<bool(const char* name)>& take);

// The first decimal number in a text; 0 if there is none.
[[nodiscard]] uint64_t first_number(std::string_view text);

}  // namespace tidemill::engine
