#include "lang/jsonata/number_picture.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include "lang/jsonata/error.h"
#include "lang/jsonata/rounding.h"
#include "lang/jsonata/text.h"

namespace tidemill::lang::jsonata {

namespace {

constexpr size_t kNone = std::u32string::npos;
constexpr size_t kSymbolCharactersMax = 16;  // XPath has one; the longer, the longer a picture is searched
constexpr int kFractionMax = 100;  // digits behind the point; doubles have no more to show

std::u32string wide(std::string_view text) {
  const std::vector<char32_t> points = code_points(text);
  return {points.begin(), points.end()};
}

size_t count_of(const std::u32string& text, const std::u32string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != kNone && !part.empty(); at = text.find(part, at + part.size())) ++count;
  return count;
}

// One of the two halves of a picture, for numbers of one sign.
class SubPicture {
 public:
  SubPicture(std::u32string text, const NumberSymbols& symbols) : text_(std::move(text)), symbols_(symbols) {
    split();
    validate();
    analyse();
  }

  std::u32string prefix;
  std::u32string suffix;
  std::vector<size_t> integer_groups;   // digits right of each separator
  size_t regular_group = 0;             // 0: separators stand only where written
  std::vector<size_t> fraction_groups;  // digits left of each separator
  int integer_min = 0;
  int scaling = 0;
  int fraction_min = 0;
  int fraction_max = 0;
  int exponent_min = 0;

  [[nodiscard]] bool has_decimal() const { return text_.contains(symbols_.decimal); }
  [[nodiscard]] double factor() const {
    return text_.contains(symbols_.percent) ? 100 : text_.contains(symbols_.per_mille) ? 1000 : 1;
  }

 private:
  [[nodiscard]] bool is_family(char32_t c) const { return c >= symbols_.zero && c < symbols_.zero + 10; }
  [[nodiscard]] bool is_digit_sign(char32_t c) const { return is_family(c) || symbols_.digit.contains(c); }
  [[nodiscard]] bool is_active(char32_t c) const {
    return is_digit_sign(c) || symbols_.decimal.contains(c) || symbols_.grouping.contains(c) ||
           symbols_.exponent.contains(c);
  }
  [[nodiscard]] bool opens(char32_t c) const { return is_active(c) && !symbols_.exponent.contains(c); }
  [[nodiscard]] int count(const std::u32string& part, bool optional_too) const {
    return static_cast<int>(
        std::ranges::count_if(part, [&](char32_t c) { return is_family(c) || (optional_too && is_digit_sign(c)); }));
  }

  void split() {
    const auto opens_here = [&](char32_t c) { return opens(c); };
    const auto first = std::ranges::find_if(text_, opens_here);
    if (first == text_.end()) throw JsonataError("D3086");
    const auto last = std::find_if(text_.rbegin(), text_.rend(), opens_here).base();
    prefix.assign(text_.begin(), first);
    suffix.assign(last, text_.end());
    active_.assign(first, last);
    const size_t e = active_.find(symbols_.exponent);
    has_exponent_ = e != kNone;
    const std::u32string mantissa = active_.substr(0, e);
    if (has_exponent_) exponent_ = active_.substr(e + symbols_.exponent.size());
    const size_t point = mantissa.find(symbols_.decimal);
    integer_ = mantissa.substr(0, point);
    if (point != kNone) fraction_ = mantissa.substr(point + symbols_.decimal.size());
  }

  // Of several mistakes the last in the order of the reference counts.
  void validate() const {
    std::string_view code;
    const auto check = [&](bool is_wrong, std::string_view found) {
      if (is_wrong) code = found;
    };
    const size_t percents = count_of(text_, symbols_.percent);
    const size_t per_milles = count_of(text_, symbols_.per_mille);
    const auto passive = [&](char32_t c) { return !is_active(c); };
    const auto mandatory = [&](char32_t c) { return is_family(c); };
    check(count_of(text_, symbols_.decimal) > 1, "D3081");
    check(percents > 1, "D3082");
    check(per_milles > 1, "D3083");
    check(percents > 0 && per_milles > 0, "D3084");
    check(count(integer_, true) + count(fraction_, true) == 0, "D3085");
    check(std::ranges::any_of(active_, passive), "D3086");
    if (active_.contains(symbols_.decimal)) {
      check(active_.contains(symbols_.grouping + symbols_.decimal) ||
                active_.contains(symbols_.decimal + symbols_.grouping),
            "D3087");
    } else {
      check(integer_.ends_with(symbols_.grouping), "D3088");
    }
    check(text_.contains(symbols_.grouping + symbols_.grouping), "D3089");
    const size_t optional = integer_.find(symbols_.digit);
    check(optional != kNone && std::ranges::any_of(integer_.substr(0, optional), mandatory), "D3090");
    const size_t last_optional = fraction_.rfind(symbols_.digit);
    check(last_optional != kNone && std::ranges::any_of(fraction_.substr(last_optional), mandatory), "D3091");
    check(has_exponent_ && !exponent_.empty() && percents + per_milles > 0, "D3092");
    check(has_exponent_ && (exponent_.empty() || !std::ranges::all_of(exponent_, mandatory)), "D3093");
    if (!code.empty()) throw JsonataError(code);
  }

  void analyse() {
    for (size_t at = integer_.find(symbols_.grouping); at != kNone; at = integer_.find(symbols_.grouping, at + 1)) {
      integer_groups.push_back(static_cast<size_t>(count(integer_.substr(at), true)));
    }
    for (size_t at = fraction_.find(symbols_.grouping); at != kNone; at = fraction_.find(symbols_.grouping, at + 1)) {
      fraction_groups.push_back(static_cast<size_t>(count(fraction_.substr(0, at), true)));
    }
    regular_group = regular(integer_groups);
    integer_min = scaling = count(integer_, false);
    fraction_min = count(fraction_, false);
    fraction_max = std::min(count(fraction_, true), kFractionMax);
    if (integer_min == 0 && fraction_max == 0) {
      has_exponent_ ? void(fraction_min = fraction_max = 1) : void(integer_min = 1);
    }
    if (has_exponent_ && integer_min == 0 && integer_.contains(symbols_.digit)) integer_min = 1;
    if (integer_min == 0 && fraction_min == 0) fraction_min = 1;
    exponent_min = count(exponent_, false);
  }

  // The distance at which separators stand, if it is the same for all.
  static size_t regular(const std::vector<size_t>& groups) {
    if (groups.empty()) return 0;
    size_t distance = 0;
    for (const size_t group : groups) distance = std::gcd(distance, group);
    for (size_t i = 1; i <= groups.size(); ++i) {
      if (!contains(groups, i * distance)) return 0;
    }
    return distance;
  }

  std::u32string text_;
  const NumberSymbols& symbols_;
  std::u32string active_;
  std::u32string integer_;
  std::u32string fraction_;
  std::u32string exponent_;
  bool has_exponent_ = false;
};

// The number between 10^(scaling-1) and 10^scaling, and the power of ten that it lacks then.
std::pair<double, int> scaled(double number, int scaling) {
  int exponent = 0;
  if (number == 0 || !std::isfinite(number)) return {number, exponent};
  const double high = std::pow(10, scaling);
  const double low = std::pow(10, scaling - 1);
  for (; std::abs(number) < low; number *= 10) --exponent;
  for (; std::abs(number) > high; number /= 10) ++exponent;
  return {number, exponent};
}

// Digits with a point, as many on each side as the picture wants.
std::string plain_digits(double number, const SubPicture& picture) {
  std::string digits(400, '\0');
  const int size = std::snprintf(digits.data(), digits.size(), "%.*f", picture.fraction_max,
                                 std::abs(round_half_even(number, picture.fraction_max)));
  digits.resize(static_cast<size_t>(std::clamp(size, 0, 399)));
  if (!digits.contains('.')) digits.push_back('.');
  digits.erase(0, digits.find_first_not_of('0'));
  digits.erase(digits.find_last_not_of('0') + 1);
  const int before = static_cast<int>(digits.find('.'));
  const int after = static_cast<int>(digits.size()) - before - 1;
  digits.insert(0, static_cast<size_t>(std::max(picture.integer_min - before, 0)), '0');
  return digits.append(static_cast<size_t>(std::max(picture.fraction_min - after, 0)), '0');
}

void group_digits(std::string& digits, const SubPicture& picture) {
  size_t point = digits.find('.');
  const auto insert = [&](size_t from_right) { digits.insert(point - from_right, 1, ','); };
  if (picture.regular_group > 0) {
    for (size_t i = 1; i * picture.regular_group < point; ++i) insert(i * picture.regular_group);
  } else {
    std::vector<size_t> groups = picture.integer_groups;
    std::ranges::sort(groups);
    for (const size_t group : groups) {
      if (group > 0 && group < point) insert(group);
    }
  }
  point = digits.find('.');
  size_t added = 0;
  for (const size_t group : picture.fraction_groups) {
    const size_t at = point + 1 + group + added;
    if (at >= digits.size()) break;
    digits.insert(at, 1, ',');
    ++added;
  }
}

std::u32string dressed(const std::string& digits, const NumberSymbols& symbols) {
  std::u32string out;
  for (const char c : digits) {
    if (c == '.') {
      out += symbols.decimal;
    } else if (c == ',') {
      out += symbols.grouping;
    } else {
      out.push_back(symbols.zero + static_cast<char32_t>(c - '0'));
    }
  }
  return out;
}

std::vector<SubPicture> sub_pictures(const std::u32string& picture, const NumberSymbols& symbols) {
  if (count_of(picture, symbols.separator) > 1) throw JsonataError("D3080");
  const size_t separator = picture.find(symbols.separator);
  std::vector<SubPicture> pictures;
  pictures.emplace_back(picture.substr(0, separator), symbols);
  if (separator != kNone) pictures.emplace_back(picture.substr(separator + symbols.separator.size()), symbols);
  return pictures;
}

}  // namespace

void NumberSymbols::set(std::string_view name, std::string_view value) {
  const std::u32string text = wide(value);
  if (text.empty()) return;
  if (text.size() > kSymbolCharactersMax) throw JsonataError("U1001");
  if (name == "zero-digit") zero = text[0];
  if (name == "decimal-separator") decimal = text;
  if (name == "grouping-separator") grouping = text;
  if (name == "exponent-separator") exponent = text;
  if (name == "minus-sign") minus = text;
  if (name == "percent") percent = text;
  if (name == "per-mille") per_mille = text;
  if (name == "digit") digit = text;
  if (name == "pattern-separator") separator = text;
}

std::string format_number(double number, std::string_view picture, const NumberSymbols& symbols) {
  const std::vector<SubPicture> pictures = sub_pictures(wide(picture), symbols);
  const bool is_negative = number < 0;
  const SubPicture& used = pictures[is_negative && pictures.size() > 1 ? 1 : 0];
  double mantissa = number * used.factor();
  int exponent = 0;
  if (used.exponent_min > 0) std::tie(mantissa, exponent) = scaled(mantissa, used.scaling);
  std::string digits = plain_digits(mantissa, used);
  group_digits(digits, used);
  if (digits.ends_with('.') || !used.has_decimal()) digits.erase(digits.find('.'));

  std::u32string out = is_negative && pictures.size() == 1 ? symbols.minus : std::u32string();
  out += used.prefix + dressed(digits, symbols);
  if (used.exponent_min > 0) {
    std::string text = std::to_string(std::abs(exponent));
    text.insert(0, static_cast<size_t>(std::max(used.exponent_min - static_cast<int>(text.size()), 0)), '0');
    out += symbols.exponent + (exponent < 0 ? symbols.minus : std::u32string()) + dressed(text, symbols);
  }
  out += used.suffix;
  return from_code_points({out.begin(), out.end()});
}

}  // namespace tidemill::lang::jsonata
