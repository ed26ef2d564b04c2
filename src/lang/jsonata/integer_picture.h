// Inside: $formatInteger, $parseInteger and the numbers in dates, which are fn:format-integer of XPath 3.1
// (www.w3.org/TR/xpath-functions-31, section 4.6).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::lang::jsonata {

struct IntegerPicture {
  enum class Style : uint8_t { decimal, letters, roman, words, unknown };
  enum class Case : uint8_t { lower, upper, title };
  struct Separator {
    size_t position = 0;  // digits to its right
    char32_t character = 0;
  };

  // "#,##0", "A", "i", "Ww;o". Throws D3131.
  explicit IntegerPicture(std::string_view picture);

  Style style = Style::decimal;
  Case letter_case = Case::lower;
  bool ordinal = false;
  std::string text;
  size_t mandatory = 0;
  size_t optional = 0;
  size_t width = 0;  // of parsed numbers, where the next follows at once; 0: any
  char32_t zero = U'0';
  std::vector<Separator> separators;
  size_t regular = 0;  // the distance of separators if they repeat; else 0

 private:
  void read_digits(std::string_view pattern);
};

// Throws D3130 if the picture is none that is known.
[[nodiscard]] std::string format_integer(double number, const IntegerPicture& picture);
// Nothing: the text is no such number. Throws D3130.
[[nodiscard]] std::optional<double> parse_integer(std::string_view text, const IntegerPicture& picture);
// What such numbers look like, as a regular expression without groups.
[[nodiscard]] std::string integer_pattern(const IntegerPicture& picture);

}  // namespace tidemill::lang::jsonata
