#include "lang/insights/value.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "base/text.h"

namespace tidemill::lang::insights {
namespace {

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !(text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9'))) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

// Whole numbers as they are, others with four digits at most.
std::string shown(double number) {
  char buffer[400];
  constexpr double kWholeMax = 1e18;
  const bool is_whole = std::abs(number) < kWholeMax && number == std::floor(number);
  const int size = std::snprintf(buffer, sizeof(buffer), is_whole ? "%.0f" : "%.4f", number);
  std::string text(buffer, static_cast<size_t>(size));
  if (is_whole) return text == "-0" ? "0" : text;
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string shown(Moment moment) {
  std::string text = base::iso_milliseconds(base::Time(std::chrono::milliseconds(moment.milliseconds)));
  for (char& c : text) {
    if (c == 'T') c = ' ';
  }
  return text;
}

}  // namespace

std::optional<double> Value::number() const {
  if (const auto* number = std::get_if<double>(&data_)) return *number;
  if (const auto* moment = std::get_if<Moment>(&data_)) return static_cast<double>(moment->milliseconds);
  if (const auto* text = std::get_if<std::string>(&data_)) return number_of(*text);
  return std::nullopt;
}

std::string Value::text() const {
  if (const auto* number = std::get_if<double>(&data_)) return shown(*number);
  if (const auto* moment = std::get_if<Moment>(&data_)) return shown(*moment);
  if (const auto* text = std::get_if<std::string>(&data_)) return *text;
  return "";
}

bool Value::holds() const {
  if (is_nothing()) return false;
  if (const auto number = this->number()) return *number != 0;
  const std::string* text = plain_text();
  return text && !text->empty() && *text != "false";
}

int compare(const Value& a, const Value& b) {
  if (a.is_nothing() || b.is_nothing()) return static_cast<int>(b.is_nothing()) - static_cast<int>(a.is_nothing());
  const auto number_a = a.number();
  const auto number_b = b.number();
  if (number_a && number_b) return *number_a < *number_b ? -1 : *number_a > *number_b ? 1 : 0;
  const std::string* text_a = a.plain_text();
  const std::string* text_b = b.plain_text();
  const int order = text_a && text_b ? text_a->compare(*text_b) : a.text().compare(b.text());
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

}  // namespace tidemill::lang::insights
