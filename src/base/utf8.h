// Text that must be UTF-8 and may not be.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::base {

[[nodiscard]] bool is_utf8(std::string_view text);

// `text` with the replacement character (U+FFFD) in place of each byte that belongs to no character.
[[nodiscard]] std::string to_utf8(std::string_view text);

}  // namespace tidemill::base
