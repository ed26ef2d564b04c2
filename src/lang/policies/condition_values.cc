#include "lang/policies/condition_values.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/base64.h"
#include "base/decimal.h"

namespace tidemill::lang::policies {

namespace {

constexpr std::string_view kDigits = "0123456789";

// Takes exactly `count` digits off `text`. Nothing: they are not there.
std::optional<int> take_digits(std::string_view& text, size_t count) {
  const std::string_view digits = text.substr(0, count);
  if (digits.size() < count || digits.find_first_not_of(kDigits) != std::string_view::npos) return std::nullopt;
  int number = 0;
  std::from_chars(digits.data(), digits.data() + count, number);
  text.remove_prefix(count);
  return number;
}

bool take(std::string_view& text, char letter) {
  if (!text.starts_with(letter)) return false;
  text.remove_prefix(1);
  return true;
}

// Microseconds; what is finer is left out.
int64_t take_fraction(std::string_view& text) {
  const size_t count = std::min(text.find_first_not_of(kDigits), text.size());
  std::string digits(text.substr(0, std::min<size_t>(count, 6)));
  digits.resize(6, '0');
  text.remove_prefix(count);
  int64_t micros = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), micros);
  return micros;
}

// Minutes east of Greenwich of "Z", "+01:00", "-0530" or nothing, which is all of the text.
std::optional<int> parse_zone(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z") return 0;
  const bool is_west = text.starts_with('-');
  if (!is_west && !text.starts_with('+')) return std::nullopt;
  text.remove_prefix(1);
  const auto hours = take_digits(text, 2);
  (void)take(text, ':');
  const auto minutes = take_digits(text, 2);
  if (!hours || !minutes || !text.empty()) return std::nullopt;
  return (is_west ? -1 : 1) * (*hours * 60 + *minutes);
}

std::optional<int64_t> parse_iso_8601(std::string_view text) {
  using namespace std::chrono;
  const auto year_number = take_digits(text, 4);
  if (!year_number || !take(text, '-')) return std::nullopt;
  const auto month_number = take_digits(text, 2);
  if (!month_number || !take(text, '-')) return std::nullopt;
  const auto day_number = take_digits(text, 2);
  if (!day_number) return std::nullopt;
  const year_month_day date{year(*year_number), month(static_cast<unsigned>(*month_number)),
                            day(static_cast<unsigned>(*day_number))};
  if (!date.ok()) return std::nullopt;
  int64_t micros = duration_cast<microseconds>(sys_days(date).time_since_epoch()).count();
  if (!take(text, 'T') && !take(text, 't')) {
    if (text.empty()) return micros;
    return std::nullopt;
  }
  const auto hour_number = take_digits(text, 2);
  if (!hour_number || *hour_number > 23 || !take(text, ':')) return std::nullopt;
  const auto minute_number = take_digits(text, 2);
  if (!minute_number || *minute_number > 59) return std::nullopt;
  int second_number = 0;
  if (take(text, ':')) {
    const auto found = take_digits(text, 2);
    if (!found || *found > 60) return std::nullopt;
    second_number = *found;
    if (take(text, '.')) micros += take_fraction(text);
  }
  const auto zone = parse_zone(text);
  if (!zone) return std::nullopt;
  const int64_t of_day = (*hour_number * 60 + *minute_number - *zone) * 60LL + second_number;
  return micros + of_day * 1'000'000;
}

// Microseconds since 1970.
std::optional<int64_t> parse_date(std::string_view text) {
  if (auto date = parse_iso_8601(text)) return date;
  constexpr int64_t kSecondsMax = INT64_MAX / 1'000'000;
  const auto seconds = base::Decimal::parse(text);
  if (!seconds) return std::nullopt;
  const int64_t whole = seconds->floor_to_int64();
  if (whole > kSecondsMax || whole < -kSecondsMax) return std::nullopt;
  return whole * 1'000'000;
}

struct Address {
  std::array<uint8_t, 16> bytes{};
  int bits = 0;  // 32 or 128
};

constexpr std::array<uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

std::optional<Address> parse_address(std::string_view text) {
  Address address;
  const std::string terminated(text);
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes.data()) == 1) {
    address.bits = 32;
    return address;
  }
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) != 1) return std::nullopt;
  address.bits = 128;
  if (!std::equal(kMapped.begin(), kMapped.end(), address.bytes.begin())) return address;
  std::copy(address.bytes.begin() + kMapped.size(), address.bytes.end(), address.bytes.begin());
  address.bits = 32;
  return address;
}

bool has_same_start(const Address& a, const Address& b, int bits) {
  const auto whole = static_cast<size_t>(bits / 8);
  if (!std::equal(a.bytes.begin(), a.bytes.begin() + whole, b.bytes.begin())) return false;
  if (bits % 8 == 0) return true;
  const auto mask = static_cast<uint8_t>(0xFF << (8 - bits % 8));
  return (a.bytes[whole] & mask) == (b.bytes[whole] & mask);
}

}  // namespace

std::partial_ordering compare_numbers(std::string_view a, std::string_view b) {
  const auto left = base::Decimal::parse(a);
  const auto right = base::Decimal::parse(b);
  if (!left || !right) return std::partial_ordering::unordered;
  return left->encoded() <=> right->encoded();
}

std::partial_ordering compare_dates(std::string_view a, std::string_view b) {
  const auto left = parse_date(a);
  const auto right = parse_date(b);
  if (!left || !right) return std::partial_ordering::unordered;
  return *left <=> *right;
}

bool is_same_binary(std::string_view a, std::string_view b) {
  const auto left = base::base64_decode(a);
  return left && left == base::base64_decode(b);
}

bool is_in_block(std::string_view address, std::string_view block) {
  const size_t slash = block.find('/');
  const auto wanted = parse_address(block.substr(0, slash));
  const auto found = parse_address(address);
  if (!wanted || !found || wanted->bits != found->bits) return false;
  int bits = wanted->bits;
  if (slash != std::string_view::npos) {
    const std::string_view text = block.substr(slash + 1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
    if (error != std::errc() || end != text.data() + text.size() || bits < 0 || bits > wanted->bits) return false;
  }
  return has_same_start(*wanted, *found, bits);
}

}  // namespace tidemill::lang::policies
