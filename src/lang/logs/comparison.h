// Inside: what a JSON member or a field is compared with: = != < <= > >= and a number, a text in which '*' stands for
// any characters, or a regular expression.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lang/logs/pattern_text.h"

namespace tidemill::lang::logs {

enum class Comparator { equal, not_equal, less, less_or_equal, greater, greater_or_equal };

class Comparison {
 public:
  // Reads comparator and value. `ends` tells which characters end a value without quotes.
  static Comparison parse(PatternText& text, std::string_view ends);

  // Of a text. It is compared as a number if it is one and so is the value.
  [[nodiscard]] bool holds(std::string_view text) const;
  // Of a number.
  [[nodiscard]] bool holds(double number, std::string_view as_text) const;

 private:
  [[nodiscard]] bool orders(double left, double right) const;

  Comparator comparator_ = Comparator::equal;
  std::string value_;
  bool is_quoted_ = false;
  std::optional<double> number_;
  Regex regex_;
};

// Nothing: no comparator comes next.
std::optional<Comparator> accept_comparator(PatternText& text);

}  // namespace tidemill::lang::logs
