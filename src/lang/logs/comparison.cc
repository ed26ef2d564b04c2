#include "lang/logs/comparison.h"

namespace tidemill::lang::logs {

std::optional<Comparator> accept_comparator(PatternText& text) {
  if (text.accept("!=")) return Comparator::not_equal;
  if (text.accept("<=")) return Comparator::less_or_equal;
  if (text.accept(">=")) return Comparator::greater_or_equal;
  if (text.accept("=")) return Comparator::equal;
  if (text.accept("<")) return Comparator::less;
  if (text.accept(">")) return Comparator::greater;
  return std::nullopt;
}

Comparison Comparison::parse(PatternText& text, std::string_view ends) {
  Comparison result;
  text.add_steps(1);
  const auto comparator = accept_comparator(text);
  if (!comparator) text.fail("expected a comparison");
  result.comparator_ = *comparator;
  const bool orders = *comparator != Comparator::equal && *comparator != Comparator::not_equal;
  text.skip_space();
  if (text.peek() == '%') {
    if (orders) text.fail("a regular expression is only compared with = and !=");
    result.regex_ = text.regex();
    return result;
  }
  if (text.peek() == '"') {
    result.value_ = text.quoted();
    result.is_quoted_ = true;
  } else {
    result.value_ = text.take_while([&](char c) { return !is_space(c) && ends.find(c) == std::string_view::npos; });
    if (result.value_.empty()) text.fail("expected a value");
    result.number_ = number_of(result.value_);
  }
  if (orders && !result.number_) text.fail("expected a number");
  return result;
}

bool Comparison::orders(double left, double right) const {
  switch (comparator_) {
    case Comparator::equal: return left == right;
    case Comparator::not_equal: return left != right;
    case Comparator::less: return left < right;
    case Comparator::less_or_equal: return left <= right;
    case Comparator::greater: return left > right;
    case Comparator::greater_or_equal: return left >= right;
  }
  return false;
}

bool Comparison::holds(std::string_view text) const {
  if (number_) {
    if (const auto number = number_of(text)) return orders(*number, *number_);
    return comparator_ == Comparator::not_equal;
  }
  const bool is_equal = regex_ ? contains(text, regex_) : is_like(text, value_);
  return is_equal == (comparator_ == Comparator::equal);
}

bool Comparison::holds(double number, std::string_view as_text) const {
  if (number_) return orders(number, *number_);
  return holds(as_text);
}

}  // namespace tidemill::lang::logs
