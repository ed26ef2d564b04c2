// Inside: $formatNumber, which is fn:format-number of XPath 3.1 (www.w3.org/TR/xpath-functions-31, section 4.7).
#pragma once

#include <string>
#include <string_view>

namespace tidemill::lang::jsonata {

struct NumberSymbols {
  std::u32string decimal = U".";
  std::u32string grouping = U",";
  std::u32string exponent = U"e";
  std::u32string minus = U"-";
  std::u32string percent = U"%";
  std::u32string per_mille = U"‰";
  std::u32string digit = U"#";
  std::u32string separator = U";";
  char32_t zero = U'0';

  // By the names of XPath: "decimal-separator" and so on; others mean nothing.
  void set(std::string_view name, std::string_view value);
};

// Throws D3080 to D3093.
[[nodiscard]] std::string format_number(double number, std::string_view picture, const NumberSymbols& symbols);

}  // namespace tidemill::lang::jsonata
