// Digests of short texts, as AWS's protocols carry them. Of what streams, or is long: OpenSSL's contexts, piece by piece.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::crypto {

// 16 to 64 bytes, not text.
[[nodiscard]] std::string md5(std::string_view text);
[[nodiscard]] std::string sha1(std::string_view text);
[[nodiscard]] std::string sha256(std::string_view text);
[[nodiscard]] std::string sha384(std::string_view text);
[[nodiscard]] std::string sha512(std::string_view text);

}  // namespace tidemill::crypto
