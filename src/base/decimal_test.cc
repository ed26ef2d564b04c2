#include "base/decimal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tidemill::base {
namespace {

Decimal decimal(std::string_view text) {
  const auto result = Decimal::parse(text);
  EXPECT_TRUE(result.has_value()) << text;
  return result.value_or(Decimal());
}

std::string outcome(const std::expected<Decimal, DecimalError>& result) {
  if (result) return result->to_string();
  switch (result.error()) {
    case DecimalError::not_numeric:
      return "not numeric";
    case DecimalError::overflow:
      return "overflow";
    case DecimalError::underflow:
      return "underflow";
    case DecimalError::too_precise:
      return "too precise";
  }
  return "?";
}

std::string zeros(size_t n) { return std::string(n, '0'); }

TEST(Decimal, ComesBackAsPlainText) {
  const std::pair<std::string, std::string> cases[] = {
      {"0", "0"},
      {"-0", "0"},
      {"0e5", "0"},
      {"0.000", "0"},
      {"1", "1"},
      {"+3", "3"},
      {"007", "7"},
      {"1.10", "1.1"},
      {".5", "0.5"},
      {"5.", "5"},
      {"-.05", "-0.05"},
      {"1e3", "1000"},
      {"1E+3", "1000"},
      {"12e-1", "1.2"},
      {"1200", "1200"},
      {"0.00120", "0.0012"},
      {"-12.5e3", "-12500"},
      {"9007199254740993", "9007199254740993"},
      {"3.141592653589793238462643383279502884197", "too precise"},
      {"3.1415926535897932384626433832795028841", "3.1415926535897932384626433832795028841"},
      {"99999999999999999999999999999999999999", "99999999999999999999999999999999999999"},
      {"1e125", "1" + zeros(125)},
      {"1e-130", "0." + zeros(129) + "1"},
      {"10e124", "1" + zeros(125)},
      {"0" + zeros(300) + "1", "1"},
      {"1" + zeros(50) + "e-50", "1"},
      {"0." + zeros(140) + "1e20", "0." + zeros(120) + "1"},
      {"9.9999999999999999999999999999999999999e125", "99999999999999999999999999999999999999" + zeros(88)},
      {"-9.9999999999999999999999999999999999999e125", "-99999999999999999999999999999999999999" + zeros(88)}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(outcome(Decimal::parse(text)), expected) << text;
}

TEST(Decimal, RefusesWhatIsNoNumber) {
  for (const char* text :
       {"",    " ",     "a",  "1a", "--1", "+-1",      "1..2",      "1.2.3", ".",     "-",   "e5",      "1e",
        "1e+", "1e1.5", " 1", "1 ", "NaN", "Infinity", "-Infinity", "0x10",  "1_000", "1,5", "\xd9\xa1"}) {
    EXPECT_EQ(outcome(Decimal::parse(text)), "not numeric") << text;
  }
}

TEST(Decimal, FindsRangeErrorsBeforeTooManyDigits) {
  EXPECT_EQ(outcome(Decimal::parse("1e126")), "overflow");
  EXPECT_EQ(outcome(Decimal::parse("-1e126")), "overflow");
  EXPECT_EQ(outcome(Decimal::parse("11e125")), "overflow");
  EXPECT_EQ(outcome(Decimal::parse("1e-131")), "underflow");
  EXPECT_EQ(outcome(Decimal::parse("0.9e-130")), "underflow");
  EXPECT_EQ(outcome(Decimal::parse("1e9223372036854775807")), "overflow");
  EXPECT_EQ(outcome(Decimal::parse("1e9223372036854775808")), "not numeric");
  EXPECT_EQ(outcome(Decimal::parse("1e-9223372036854775808")), "underflow");
  EXPECT_EQ(outcome(Decimal::parse("1e-9223372036854775809")), "not numeric");
  EXPECT_EQ(outcome(Decimal::parse("1" + zeros(37) + "1")), "too precise");
  EXPECT_EQ(outcome(Decimal::parse("1" + zeros(37) + "1e100")), "overflow");
  EXPECT_EQ(outcome(Decimal::parse("1" + zeros(38))), "1" + zeros(38));
}

TEST(Decimal, ChecksTheExponentOfAZeroAsAwsDoes) {
  EXPECT_EQ(outcome(Decimal::parse("0e125")), "0");
  EXPECT_EQ(outcome(Decimal::parse("0e126")), "overflow");
  EXPECT_EQ(outcome(Decimal::parse("0.0e126")), "0");
  EXPECT_EQ(outcome(Decimal::parse("0e-131")), "underflow");
}

TEST(Decimal, HasAwsMessages) {
  EXPECT_EQ(decimal_error_message(DecimalError::not_numeric, "x"),
            "The parameter cannot be converted to a numeric value: x");
  EXPECT_EQ(decimal_error_message(DecimalError::not_numeric, ""),
            "The parameter cannot be converted to a numeric value");
  EXPECT_EQ(decimal_error_message(DecimalError::too_precise, "1"),
            "Attempting to store more than 38 significant digits in a Number");
}

TEST(Decimal, CountsDigitsBeforeThePoint) {
  const std::pair<const char*, int> cases[] = {{"0", 0},     {"5", 1},       {"1.5", 1},   {"-100.5", 3}, {"1000", 1},
                                               {"0.001", 0}, {"1e-100", 0}, {"1e125", 1}, {"12.345", 2}};
  for (const auto& [text, digits] : cases) EXPECT_EQ(decimal(text).whole_digits(), digits) << text;
}

TEST(Decimal, CountsSignificantDigits) {
  const std::pair<const char*, int> cases[] = {{"0", 0},    {"5", 1},        {"-5", 1},    {"12", 2},     {"101", 3},
                                               {"1000", 1}, {"-0.00123", 3}, {"1e125", 1}, {"12e-130", 2}};
  for (const auto& [text, digits] : cases) EXPECT_EQ(decimal(text).digits(), digits) << text;
}

TEST(Decimal, ConvertsFromAndToIntegers) {
  for (const int64_t value : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{10}, int64_t{1700000000}, INT64_MAX,
                              INT64_MIN, int64_t{-1000000}}) {
    EXPECT_EQ(Decimal(value).to_string(), std::to_string(value));
    EXPECT_EQ(Decimal(value).to_int64(), value);
    EXPECT_EQ(Decimal(value).floor_to_int64(), value);
  }
  EXPECT_EQ(decimal("9223372036854775808").to_int64(), std::nullopt);
  EXPECT_EQ(decimal("1.5").to_int64(), std::nullopt);
  EXPECT_EQ(decimal("1e100").to_int64(), std::nullopt);
  EXPECT_EQ(decimal("1.5").floor_to_int64(), 1);
  EXPECT_EQ(decimal("-1.5").floor_to_int64(), -2);
  EXPECT_EQ(decimal("-0.1").floor_to_int64(), -1);
  EXPECT_EQ(decimal("1e100").floor_to_int64(), INT64_MAX);
  EXPECT_EQ(decimal("-1e100").floor_to_int64(), INT64_MIN);
  EXPECT_EQ(decimal("12345678.1234").floor_to_int64(), 12345678);
}

TEST(Decimal, AddsAndSubtractsExactly) {
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {"1", "1", "2"},
      {"0.1", "0.2", "0.3"},
      {"9", "1", "10"},
      {"99999", "1", "100000"},
      {"5", "-5", "0"},
      {"100", "-1", "99"},
      {"1", "-100", "-99"},
      {"-3", "-4", "-7"},
      {"1e20", "1e-17", "100000000000000000000.00000000000000001"},
      {"1e50", "1", "overflow"},
      {"1e125", "1e-130", "overflow"},
      {"9e125", "1e125", "overflow"},
      {"1e-130", "-2e-130", "-0." + zeros(129) + "1"},
      {"1.1e-130", "-1e-130", "underflow"},
      {"99999999999999999999999999999999999999", "1", "1" + zeros(38)},
      {"99999999999999999999999999999999999999", "2", "overflow"},
      {"0", "7", "7"},
      {"7", "0", "7"}};
  for (const auto& [a, b, sum] : cases) {
    EXPECT_EQ(outcome(decimal(a).plus(decimal(b))), sum) << a << " + " << b;
    EXPECT_EQ(outcome(decimal(b).plus(decimal(a))), sum) << b << " + " << a;
    EXPECT_EQ(outcome(decimal(a).minus(decimal(b).negated())), sum) << a << " - -" << b;
  }
}

// The oracle: scaled 128-bit integers.
struct Scaled {
  __int128 units;  // of 10^-8
  std::string text;
};

Scaled random_scaled(std::mt19937_64& random) {
  const int digits = static_cast<int>(random() % 18) + 1;
  uint64_t magnitude = random();
  uint64_t limit = 1;
  for (int i = 0; i < digits; ++i) limit *= 10;
  magnitude %= limit;
  const int places = static_cast<int>(random() % 9);
  __int128 units = magnitude;
  for (int i = places; i < 8; ++i) units *= 10;
  std::string text = std::to_string(magnitude) + "e-" + std::to_string(places);
  if (random() % 2 == 0) return {units, text};
  return {-units, "-" + text};
}

std::string text_of(__int128 units) {
  if (units == 0) return "0";
  const bool negative = units < 0;
  auto rest = negative ? -static_cast<unsigned __int128>(units) : static_cast<unsigned __int128>(units);
  std::string digits;
  for (; rest != 0; rest /= 10) digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
  while (digits.size() < 9) digits.push_back('0');
  std::reverse(digits.begin(), digits.end());
  digits.insert(digits.size() - 8, ".");
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return (negative ? "-" : "") + digits;
}

TEST(Decimal, AgreesWithIntegerArithmeticOnRandomNumbers) {
  std::mt19937_64 random(42);
  for (int i = 0; i < 50000; ++i) {
    const Scaled a = random_scaled(random);
    const Scaled b = random_scaled(random);
    const Decimal x = decimal(a.text);
    const Decimal y = decimal(b.text);
    ASSERT_EQ(x.to_string(), text_of(a.units)) << a.text;
    ASSERT_EQ(outcome(x.plus(y)), text_of(a.units + b.units)) << a.text << " + " << b.text;
    ASSERT_EQ(outcome(x.minus(y)), text_of(a.units - b.units)) << a.text << " - " << b.text;
    ASSERT_EQ(x < y, a.units < b.units) << a.text << " < " << b.text;
    ASSERT_EQ(x == y, a.units == b.units) << a.text << " == " << b.text;
  }
}

TEST(Decimal, EncodesInNumericOrderOverTheWholeRange) {
  std::vector<Decimal> ascending;
  for (int exponent = Decimal::kExponentMax; exponent >= Decimal::kExponentMin; --exponent) {
    for (const char* digits : {"-9.9999999999999999999999999999999999999", "-9.5", "-9.12", "-9.1", "-1.01", "-1"}) {
      ascending.push_back(decimal(digits + ("e" + std::to_string(exponent))));
    }
  }
  ascending.emplace_back();
  for (int exponent = Decimal::kExponentMin; exponent <= Decimal::kExponentMax; ++exponent) {
    for (const char* digits : {"1", "1.01", "9.1", "9.12", "9.5", "9.9999999999999999999999999999999999999"}) {
      ascending.push_back(decimal(digits + ("e" + std::to_string(exponent))));
    }
  }
  for (size_t i = 1; i < ascending.size(); ++i) {
    ASSERT_LT(ascending[i - 1], ascending[i]) << ascending[i - 1].to_string() << " " << ascending[i].to_string();
    // Ordered also when other bytes follow, as in a key of several parts.
    ASSERT_LT(std::string(ascending[i - 1].encoded()) + "\xff",
              std::string(ascending[i].encoded()) + std::string(1, '\0'));
  }
}

TEST(Decimal, DecodesWhatItEncodedAndFindsItsEnd) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text = random() % 2 == 0 ? "" : "-";
    const int digits = static_cast<int>(random() % 38) + 1;
    for (int d = 0; d < digits; ++d) text.push_back(static_cast<char>('0' + random() % 10));
    text += "e" + std::to_string(static_cast<int>(random() % 200) - 120);
    const auto number = Decimal::parse(text);
    if (!number) continue;
    const std::string bytes = std::string(number->encoded()) + "tail";
    std::string_view rest = bytes;
    const auto decoded = Decimal::decode(rest);
    ASSERT_TRUE(decoded.has_value()) << text;
    ASSERT_EQ(*decoded, *number);
    ASSERT_EQ(rest, "tail");
    ASSERT_EQ(Decimal::parse(number->to_string()), *number);
  }
}

TEST(Decimal, RefusesBytesThatAreNoEncoding) {
  for (const std::string_view bytes :
       {std::string_view(""), std::string_view("\xc0"), std::string_view("\xc0\x01"), std::string_view("\xc0\x15"),
        std::string_view("\xc0\xff"), std::string_view("\x7f"), std::string_view("\xff\x10\x14"),
        std::string_view("\xc0\x15\x00", 3)}) {
    std::string_view rest = bytes;
    EXPECT_FALSE(Decimal::decode(rest).has_value());
    EXPECT_EQ(rest, bytes);
  }
}

TEST(Decimal, IsShort) {
  EXPECT_EQ(decimal("0").encoded().size(), 1u);
  EXPECT_EQ(decimal("5").encoded().size(), 2u);
  EXPECT_EQ(decimal("-5").encoded().size(), 2u);
  EXPECT_EQ(decimal("1700000000123").encoded().size(), 8u);
  EXPECT_EQ(decimal("9.9999999999999999999999999999999999999e125").encoded().size(), Decimal::kEncodedSizeMax);
}

}  // namespace
}  // namespace tidemill::base
