// Text beyond ASCII in the values of metadata: headers carry it as encoded words, "=?UTF-8?Q?caf=C3=A9?=" (RFC 2047). As AWS
// does, what comes so is kept decoded, and what has to go so is encoded.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::s3 {

// Words that are none, or of another character set than UTF-8, stay as they are.
[[nodiscard]] std::string decode_words(std::string_view text);

// As it is, if a header can say it and nobody takes it for encoded words.
[[nodiscard]] std::string encode_words(const std::string& text);

}  // namespace tidemill::s3
