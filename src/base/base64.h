// Base64 of RFC 4648 section 4, with padding. Decoding is strict: no line breaks, no other alphabet, right padding,
// unused bits zero.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::base {

[[nodiscard]] constexpr size_t base64_encoded_size(size_t bytes) { return (bytes + 2) / 3 * 4; }

void append_base64(std::string& out, std::string_view bytes);
[[nodiscard]] std::string base64_encode(std::string_view bytes);

// Appends what `text` encodes. False: `text` is not base64, and `out` is unchanged.
[[nodiscard]] bool append_base64_decoded(std::string& out, std::string_view text);
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

}  // namespace tidemill::base
