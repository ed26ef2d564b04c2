// $number and what is made of numbers alone.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "lang/jsonata/error.h"
#include "lang/jsonata/functions.h"
#include "lang/jsonata/integer_picture.h"
#include "lang/jsonata/number_picture.h"
#include "lang/jsonata/rounding.h"
#include "lang/jsonata/text.h"

namespace tidemill::lang::jsonata {

namespace {

// The value of a number's text and nothing else: JSON's, and leading zeros.
std::optional<double> decimal_number(std::string_view text) {
  size_t at = text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - begin;
  };
  if (digits() == 0) return std::nullopt;
  if (at < text.size() && text[at] == '.' && (++at, digits()) == 0) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (digits() == 0) return std::nullopt;
  }
  if (at != text.size()) return std::nullopt;
  const double number = std::strtod(std::string(text).c_str(), nullptr);
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

// 0x1F, 0o17, 0b101.
std::optional<double> prefixed_number(std::string_view text) {
  if (text.size() < 3 || text[0] != '0') return std::nullopt;
  const char prefix = static_cast<char>(text[1] | 0x20);
  const int radix = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 0;
  double number = 0;
  for (const char c : text.substr(2)) {
    int digit = 0;
    const auto [end, error] = std::from_chars(&c, &c + 1, digit, radix == 0 ? 10 : radix);
    if (radix == 0 || error != std::errc()) return std::nullopt;
    number = number * radix + digit;
  }
  return number;
}

Value number(const Call& call) {
  const Value value = call.argument(0);
  if (!value.defined() || value.is(Kind::number)) return value;
  if (value.is(Kind::boolean)) return value.boolean ? 1.0 : 0.0;
  if (value.is(Kind::string)) {
    if (const auto decimal = decimal_number(value.string())) return *decimal;
    if (const auto prefixed = prefixed_number(value.string())) return *prefixed;
  }
  throw JsonataError("D3030", {.value = excerpt(value)});
}

template <double (*kFunction)(double)>
Value of_number(const Call& call) {
  return call.has(0) ? Value(kFunction(call.argument(0).number)) : Value();
}

double absolute(double number) { return std::abs(number); }
double floor_of(double number) { return std::floor(number); }
double ceiling(double number) { return std::ceil(number); }
double square_root(double number) {
  if (number < 0) throw JsonataError("D3060", {.value = number_text(number)});
  return std::sqrt(number);
}

Value round(const Call& call) {
  if (!call.has(0)) return {};
  return round_half_even(call.argument(0).number, call.has(1) ? call.argument(1).number : 0);
}

Value power(const Call& call) {
  if (!call.has(0)) return {};
  const double base = call.argument(0).number;
  const double exponent = call.has(1) ? call.argument(1).number : NAN;
  const double result = std::pow(base, exponent);
  if (!std::isfinite(result)) {
    throw JsonataError("D3061", {.value = number_text(base), .second = number_text(exponent)});
  }
  return result;
}

Value random(const Call& call) {
  const auto& random = call.evaluator.world().random;
  if (!random) throw JsonataError("T1006", {.token = "random"});
  return static_cast<double>(random() >> 11) * 0x1.0p-53;
}

// As Number.prototype.toString(radix) writes whole numbers.
std::string in_radix(double number, int radix) {
  if (number < 0) return "-" + in_radix(-number, radix);
  std::string digits;
  do {
    const int digit = static_cast<int>(std::fmod(number, radix));
    digits.push_back("0123456789abcdefghijklmnopqrstuvwxyz"[digit]);
    number = std::floor(number / radix);
  } while (number > 0);
  std::ranges::reverse(digits);
  return digits;
}

Value format_base(const Call& call) {
  if (!call.has(0)) return {};
  const double value = round_half_even(call.argument(0).number, 0);
  const double radix = call.has(1) ? round_half_even(call.argument(1).number, 0) : 10;
  if (!(radix >= 2 && radix <= 36)) throw JsonataError("D3100", {.value = number_text(radix)});
  if (!std::isfinite(value)) return call.text(number_text(value));
  return call.text(in_radix(value, static_cast<int>(radix)));
}

Value format_number(const Call& call) {
  if (!call.has(0)) return {};
  NumberSymbols symbols;
  if (call.has(2)) {
    for (const auto& [name, value] : call.argument(2).object->members()) {
      if (value.is(Kind::string)) symbols.set(name, value.string());
    }
  }
  const std::string_view picture = call.has(1) ? call.argument(1).string() : std::string_view();
  return call.text(format_number(call.argument(0).number, picture, symbols));
}

Value format_integer(const Call& call) {
  if (!call.has(0) || !call.has(1)) return {};
  return call.text(format_integer(std::floor(call.argument(0).number), IntegerPicture(call.argument(1).string())));
}

Value parse_integer(const Call& call) {
  if (!call.has(0) || !call.has(1)) return {};
  const auto parsed = parse_integer(call.argument(0).string(), IntegerPicture(call.argument(1).string()));
  return parsed ? Value(*parsed) : Value();
}

Value sum(const Call& call) {
  if (!call.has(0)) return {};
  double total = 0;
  for (const Value item : call.argument(0).array->items()) total += item.number;
  return total;
}

Value average(const Call& call) {
  if (!call.has(0) || call.argument(0).array->empty()) return {};
  return sum(call).number / static_cast<double>(call.argument(0).array->size());
}

Value maximum(const Call& call) {
  if (!call.has(0) || call.argument(0).array->empty()) return {};
  return std::ranges::max(call.argument(0).array->items(), {}, [](Value item) { return item.number; }).number;
}

Value minimum(const Call& call) {
  if (!call.has(0) || call.argument(0).array->empty()) return {};
  return std::ranges::min(call.argument(0).array->items(), {}, [](Value item) { return item.number; }).number;
}

constexpr Builtin kFunctions[] = {
    {"number", "<(nsb)-:n>", 1, number},
    {"abs", "<n-:n>", 1, of_number<absolute>},
    {"floor", "<n-:n>", 1, of_number<floor_of>},
    {"ceil", "<n-:n>", 1, of_number<ceiling>},
    {"sqrt", "<n-:n>", 1, of_number<square_root>},
    {"round", "<n-n?:n>", 2, round},
    {"power", "<n-n:n>", 2, power},
    {"random", "<:n>", 0, random},
    {"formatBase", "<n-n?:s>", 2, format_base},
    {"formatNumber", "<n-so?:s>", 3, format_number},
    {"formatInteger", "<n-s:s>", 2, format_integer},
    {"parseInteger", "<s-s:n>", 2, parse_integer},
    {"sum", "<a<n>:n>", 1, sum},
    {"average", "<a<n>:n>", 1, average},
    {"max", "<a<n>:n>", 1, maximum},
    {"min", "<a<n>:n>", 1, minimum},
};

}  // namespace

std::span<const Builtin> number_functions() { return kFunctions; }

}  // namespace tidemill::lang::jsonata
