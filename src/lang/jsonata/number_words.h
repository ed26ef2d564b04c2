// Inside: numbers in English.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::lang::jsonata {

// "one thousand, nine hundred and eighty-four", in small letters; ordinal: "…eighty-fourth".
[[nodiscard]] std::string number_words(double number, bool ordinal);
// Cardinal or ordinal, in any letters.
[[nodiscard]] std::optional<double> parse_number_words(std::string_view text);
// A regular expression of such words, without groups.
[[nodiscard]] std::string number_words_pattern();

}  // namespace tidemill::lang::jsonata
