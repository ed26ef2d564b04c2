#include "lang/jsonata/integer_picture.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lang/jsonata/error.h"
#include "lang/jsonata/number_words.h"
#include "lang/jsonata/text.h"
#include "lang/jsonata/value.h"

namespace tidemill::lang::jsonata {

namespace {

// The zeros of Unicode's decimal digits.
constexpr char32_t kZeros[] = {0x30,   0x660,  0x6F0,  0x7C0,  0x966,  0x9E6,  0xA66,  0xAE6,  0xB66,  0xBE6,
                               0xC66,  0xCE6,  0xD66,  0xDE6,  0xE50,  0xED0,  0xF20,  0x1040, 0x1090, 0x17E0,
                               0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620,
                               0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10};

constexpr double kRomanMax = 100'000;  // a thousand is one M: more would be a long text

[[noreturn]] void unknown(const IntegerPicture& picture) { throw JsonataError("D3130", {.value = picture.text}); }

// The zero of the digits to which `c` belongs; 0: it is no digit.
char32_t zero_of(char32_t c) {
  const auto* const above = std::ranges::upper_bound(kZeros, c);
  if (above == std::begin(kZeros)) return 0;
  const char32_t zero = *(above - 1);
  return c < zero + 10 ? zero : 0;
}

struct RomanNumeral {
  int value;
  std::string_view letters;
};
constexpr RomanNumeral kRoman[] = {{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"},
                                   {40, "xl"},  {10, "x"},   {9, "ix"},  {5, "v"},    {4, "iv"},  {1, "i"}};

std::string to_roman(double number) {
  if (number > kRomanMax) throw JsonataError("U1001");
  std::string out;
  int left = static_cast<int>(number);
  for (const RomanNumeral& numeral : kRoman) {
    for (; left >= numeral.value; left -= numeral.value) out += numeral.letters;
  }
  return out;
}

std::optional<double> from_roman(std::string_view text) {
  constexpr std::string_view kLetters = "ivxlcdm";
  constexpr double kValues[] = {1, 5, 10, 50, 100, 500, 1000};
  double total = 0;
  double highest = 0;
  for (size_t i = text.size(); i > 0; --i) {
    const size_t letter = kLetters.find(text[i - 1]);
    if (letter == std::string_view::npos) return std::nullopt;
    total += kValues[letter] < highest ? -kValues[letter] : kValues[letter];
    highest = std::max(highest, kValues[letter]);
  }
  return total;
}

// a to z, aa, ab and on.
std::string to_letters(double number) {
  std::string out;
  for (; number > 0; number = std::floor((number - 1) / 26)) {
    out.insert(out.begin(), static_cast<char>('a' + std::fmod(number - 1, 26)));
  }
  return out;
}

std::optional<double> from_letters(std::string_view text) {
  double number = 0;
  for (const char c : text) {
    if (c < 'a' || c > 'z') return std::nullopt;
    number = number * 26 + (c - 'a' + 1);
  }
  return number;
}

std::string in_case(std::string text, IntegerPicture::Case letters) {
  if (letters == IntegerPicture::Case::lower) return text;
  if (letters == IntegerPicture::Case::upper) return to_upper(text);
  for (size_t at = 0; at < text.size();) {  // each word but the "and" between them
    const size_t end = std::min(text.find_first_of(" -", at), text.size());
    if (text.substr(at, end - at) != "and") text[at] = static_cast<char>(std::toupper(text[at]));
    at = end + 1;
  }
  return text;
}

std::string_view ordinal_suffix(std::string_view digits) {
  const char last = digits.back();
  if (digits.size() > 1 && digits[digits.size() - 2] == '1') return "th";
  return last == '1' ? "st" : last == '2' ? "nd" : last == '3' ? "rd" : "th";
}

std::string in_digits(double number, const IntegerPicture& picture) {
  std::string digits = number_text(number);
  if (digits.size() < picture.mandatory) digits.insert(0, picture.mandatory - digits.size(), '0');
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    const size_t to_the_right = digits.size() - i;
    for (const IntegerPicture::Separator& separator : picture.separators) {
      const bool repeats = picture.regular > 0 && &separator == &picture.separators.front();
      const bool stands =
          repeats ? to_the_right % picture.regular == 0 : picture.regular == 0 && to_the_right == separator.position;
      if (i > 0 && stands) append_code_point(out, separator.character);
    }
    is_digit(digits[i]) ? append_code_point(out, picture.zero + static_cast<char32_t>(digits[i] - '0'))
                        : out.push_back(digits[i]);
  }
  if (picture.ordinal) out += ordinal_suffix(digits);
  return out;
}

std::optional<double> from_digits(std::string_view text, const IntegerPicture& picture) {
  const bool is_negative = text.starts_with('-');
  double number = 0;
  bool has_digit = false;
  for (const char32_t c : code_points(text.substr(is_negative ? 1 : 0))) {
    if (c >= picture.zero && c < picture.zero + 10) {
      number = number * 10 + (c - picture.zero);
      has_digit = true;
    } else if (!std::ranges::any_of(picture.separators, [&](const auto& each) { return each.character == c; }) &&
               !(picture.ordinal && std::string_view("stndrhSTNDRH").contains(static_cast<char>(c)))) {
      return std::nullopt;
    }
  }
  if (!has_digit) return std::nullopt;
  return is_negative ? -number : number;
}

}  // namespace

IntegerPicture::IntegerPicture(std::string_view picture) : text(picture) {
  std::string_view pattern = picture;
  if (const size_t modifier = picture.rfind(';'); modifier != std::string_view::npos) {
    pattern = picture.substr(0, modifier);
    ordinal = picture.substr(modifier + 1).starts_with('o');
  }
  const bool is_upper = pattern == "A" || pattern == "I" || pattern == "W";
  letter_case = is_upper ? Case::upper : pattern == "Ww" ? Case::title : Case::lower;
  if (pattern == "A" || pattern == "a") {
    style = Style::letters;
  } else if (pattern == "I" || pattern == "i") {
    style = Style::roman;
  } else if (pattern == "W" || pattern == "w" || pattern == "Ww") {
    style = Style::words;
  } else {
    read_digits(pattern);
  }
}

void IntegerPicture::read_digits(std::string_view pattern) {
  const std::vector<char32_t> points = code_points(pattern);
  bool has_zero = false;
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (const char32_t its_zero = zero_of(*point)) {
      if (has_zero && its_zero != zero) throw JsonataError("D3131");
      zero = its_zero;
      has_zero = true;
      ++mandatory;
    } else if (*point == U'#') {
      ++optional;
    } else {
      separators.push_back({.position = mandatory + optional, .character = *point});
    }
  }
  if (mandatory == 0) style = Style::unknown;
  size_t distance = 0;
  for (const Separator& each : separators) distance = std::gcd(distance, each.position);
  for (size_t i = 0; i < separators.size(); ++i) {
    if (separators[i].character != separators[0].character || separators[i].position != (i + 1) * distance) return;
  }
  regular = distance;
}

std::string format_integer(double number, const IntegerPicture& picture) {
  const double size = std::abs(number);
  std::string out;
  switch (picture.style) {
    case IntegerPicture::Style::letters:
      out = in_case(to_letters(size), picture.letter_case);
      break;
    case IntegerPicture::Style::roman:
      out = in_case(to_roman(size), picture.letter_case);
      break;
    case IntegerPicture::Style::words:
      if (!std::isfinite(size)) return number_text(number);
      out = in_case(number_words(size, picture.ordinal), picture.letter_case);
      break;
    case IntegerPicture::Style::decimal:
      out = in_digits(size, picture);
      break;
    case IntegerPicture::Style::unknown:
      unknown(picture);
  }
  return number < 0 ? "-" + out : out;
}

std::optional<double> parse_integer(std::string_view text, const IntegerPicture& picture) {
  switch (picture.style) {
    case IntegerPicture::Style::letters:
      return from_letters(to_lower(text));
    case IntegerPicture::Style::roman:
      return from_roman(to_lower(text));
    case IntegerPicture::Style::words:
      return parse_number_words(text);
    case IntegerPicture::Style::decimal:
      return from_digits(text, picture);
    case IntegerPicture::Style::unknown:
      unknown(picture);
  }
  std::abort();
}

std::string integer_pattern(const IntegerPicture& picture) {
  switch (picture.style) {
    case IntegerPicture::Style::letters:
      return "[a-zA-Z]+";
    case IntegerPicture::Style::roman:
      return "[mdclxviMDCLXVI]+";
    case IntegerPicture::Style::words:
      return number_words_pattern();
    case IntegerPicture::Style::unknown:
      unknown(picture);
    case IntegerPicture::Style::decimal:
      break;
  }
  std::string digits = "[";
  append_code_point(digits, picture.zero);
  digits += "-";
  append_code_point(digits, picture.zero + 9);
  if (picture.width > 0) return digits + "]{" + std::to_string(std::min<size_t>(picture.width, 100)) + "}";
  for (const IntegerPicture::Separator& separator : picture.separators) {
    digits += "\\";
    append_code_point(digits, separator.character);
  }
  return digits + "]+" + (picture.ordinal ? "(?:th|st|nd|rd)" : "");
}

}  // namespace tidemill::lang::jsonata
