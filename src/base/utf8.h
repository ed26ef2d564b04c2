// Text that must be UTF-8 and may not be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tidemill::base {

[[nodiscard]] bool is_utf8(std::string_view text);

// The character that starts at `at`, within `text`, and of how many bytes it is; kNoCharacter and 1 if they are not
// UTF-8.
inline constexpr uint32_t kNoCharacter = 0xfffe;  // which no text may hold
[[nodiscard]] std::pair<uint32_t, size_t> character_at(std::string_view text, size_t at);

// `text` with the replacement character (U+FFFD) in place of each byte that belongs to no character.
[[nodiscard]] std::string to_utf8(std::string_view text);

}  // namespace tidemill::base
