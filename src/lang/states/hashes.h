// Inside: the digests that expressions may ask for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::lang::states {

// In hexadecimal. `algorithm`: MD5, SHA-1, SHA-256, SHA-384 or SHA-512; nothing: another.
[[nodiscard]] std::optional<std::string> hex_digest(std::string_view data, std::string_view algorithm);

}  // namespace tidemill::lang::states
