#include "lang/jsonata/rounding.h"

#include <cmath>
#include <cstdlib>
#include <string>

#include "base/text.h"
#include "lang/jsonata/value.h"

namespace tidemill::lang::jsonata {

namespace {

constexpr int kExponentMax = 400;  // beyond it every double is zero or infinite

// The number with its decimal exponent changed, which multiplying would not do exactly.
double shifted(double number, int by) {
  const std::string text = number_text(number);
  const size_t e = text.find('e');
  const int exponent = e == std::string::npos ? 0 : std::atoi(text.c_str() + e + 1);
  return std::strtod(base::cat(text.substr(0, e), "e", exponent + by).c_str(), nullptr);
}

}  // namespace

double round_half_even(double number, double digits) {
  if (!std::isfinite(number) || !(std::abs(digits) <= kExponentMax)) return number;
  const int places = static_cast<int>(digits);
  const double wide = places == 0 ? number : shifted(number, places);
  if (!std::isfinite(wide)) return number;
  double result = std::floor(wide + 0.5);
  if (std::abs(result - wide) == 0.5 && std::abs(std::fmod(result, 2)) == 1) result -= 1;
  if (places != 0) result = shifted(result, -places);
  return result == 0 ? 0 : result;
}

}  // namespace tidemill::lang::jsonata
