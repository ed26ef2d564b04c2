#include "base/json_decimal.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tidemill::base::json {

std::string decimal_text(double number) {
  constexpr double kPlainMin = 1e-3;
  constexpr double kPlainMax = 1e7;
  constexpr size_t kTextMax = 32;
  char buffer[kTextMax];
  const double size = std::abs(number);
  const bool is_plain = size == 0 || (size >= kPlainMin && size < kPlainMax);
  const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  const std::string text(buffer, std::to_chars(buffer, buffer + kTextMax, number, format).ptr);
  const size_t exponent = text.find('e');
  std::string digits = text.substr(0, exponent);
  if (!digits.contains('.')) digits += ".0";
  if (exponent == std::string::npos) return digits;
  std::string power = text.substr(exponent + 1);  // "+07"
  const bool is_negative = power.front() == '-';
  power.erase(0, std::min(power.find_first_not_of("+-0"), power.size() - 1));
  return digits + (is_negative ? "E-" : "E") + power;
}

void write_decimal(Writer& writer, double number) {
  if (!std::isfinite(number)) return writer.null();
  writer.separate();
  writer.buffer() += decimal_text(number);
}

}  // namespace tidemill::base::json
