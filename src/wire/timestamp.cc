#include "wire/timestamp.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace tidemill::wire {

namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr double kSecondsMin = -62135596800;  // 0001-01-01
constexpr double kSecondsMax = 253402300799;  // 9999-12-31

struct Parts {
  std::chrono::year_month_day date;
  unsigned weekday = 0;
  std::chrono::hh_mm_ss<milliseconds> time;
};

Parts parts_of(base::Time time) {
  const auto at = floor<milliseconds>(time);
  const auto day = floor<days>(at);
  return {std::chrono::year_month_day(day), std::chrono::weekday(day).c_encoding(), std::chrono::hh_mm_ss(at - day)};
}

std::string format_epoch(base::Time time) {
  const int64_t all = floor<milliseconds>(time).time_since_epoch().count();
  const int64_t magnitude = all < 0 ? -all : all;
  std::string text = (all < 0 ? "-" : "") + std::to_string(magnitude / 1000);
  if (const int64_t fraction = magnitude % 1000; fraction != 0) {
    std::string digits = std::to_string(1000 + fraction);
    digits[0] = '.';
    while (digits.back() == '0') digits.pop_back();
    text.append(digits);
  }
  return text;
}

std::string format_date_time(const Parts& p) {
  char buffer[64];
  const int size = std::snprintf(
      buffer, sizeof(buffer), "%04d-%02u-%02uT%02ld:%02ld:%02ld", static_cast<int>(p.date.year()),
      static_cast<unsigned>(p.date.month()), static_cast<unsigned>(p.date.day()), static_cast<long>(p.time.hours().count()),
      static_cast<long>(p.time.minutes().count()), static_cast<long>(p.time.seconds().count()));
  std::string text(buffer, static_cast<size_t>(size));
  if (const auto fraction = p.time.subseconds().count(); fraction != 0) {
    std::snprintf(buffer, sizeof(buffer), ".%03ld", static_cast<long>(fraction));
    text.append(buffer);
  }
  return text + "Z";
}

std::string format_http_date(const Parts& p) {
  char buffer[64];
  const int size = std::snprintf(buffer, sizeof(buffer), "%s, %02u %s %04d %02ld:%02ld:%02ld GMT", kDays[p.weekday],
                                 static_cast<unsigned>(p.date.day()), kMonths[static_cast<unsigned>(p.date.month()) - 1],
                                 static_cast<int>(p.date.year()), static_cast<long>(p.time.hours().count()),
                                 static_cast<long>(p.time.minutes().count()), static_cast<long>(p.time.seconds().count()));
  return {buffer, static_cast<size_t>(size)};
}

// Takes exactly `digits` digits off the front.
std::optional<int> take_digits(std::string_view& text, size_t digits) {
  if (text.size() < digits) return {};
  int value = 0;
  for (size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return {};
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

std::optional<base::Time> time_of(int year, int month, int day, int hour, int minute, int second) {
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || year < 1 || hour > 23 || minute > 59 || second > 59) return {};
  return base::Time(std::chrono::sys_days(date)) + std::chrono::hours(hour) + std::chrono::minutes(minute) + seconds(second);
}

// "HH:MM:SS"
bool take_clock(std::string_view& text, int (&clock)[3]) {
  for (int i = 0; i < 3; ++i) {
    if (i > 0 && !take(text, ":")) return false;
    const auto value = take_digits(text, 2);
    if (!value) return false;
    clock[i] = *value;
  }
  return true;
}

// ".963", up to nine digits, as microseconds.
std::optional<base::Duration> take_fraction(std::string_view& text) {
  if (!take(text, ".")) return base::Duration(0);
  int64_t nanos = 0;
  int64_t unit = 100'000'000;
  size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits, unit /= 10) {
    nanos += (text[digits] - '0') * unit;
  }
  if (digits == 0 || digits > 9) return {};
  text.remove_prefix(digits);
  return base::Duration(nanos / 1000);
}

// "Z" or "+01:00", as what to subtract.
std::optional<seconds> take_offset(std::string_view& text) {
  if (take(text, "Z") || take(text, "z")) return seconds(0);
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return {};
  const int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  const auto hours = take_digits(text, 2);
  if (!hours || !take(text, ":")) return {};
  const auto minutes = take_digits(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return {};
  return seconds(sign * (*hours * 3600 + *minutes * 60));
}

std::optional<base::Time> parse_date_time(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, "-")) return {};
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-")) return {};
  const auto day = take_digits(text, 2);
  if (!day || !(take(text, "T") || take(text, "t"))) return {};
  int clock[3];
  if (!take_clock(text, clock)) return {};
  const auto fraction = take_fraction(text);
  if (!fraction) return {};
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return {};
  const auto time = time_of(*year, *month, *day, clock[0], clock[1], clock[2]);
  if (!time) return {};
  // A zone may lead out of the years that have four digits, and what is written of such a time nobody reads again.
  const base::Time result = *time + *fraction - *offset;
  const auto whole = static_cast<double>(floor<seconds>(result).time_since_epoch().count());
  if (whole < kSecondsMin || whole > kSecondsMax) return {};
  return result;
}

std::optional<base::Time> parse_http_date(std::string_view text) {
  if (text.size() < 5) return {};
  text.remove_prefix(3);  // the weekday follows from the date
  if (!take(text, ", ")) return {};
  const auto day = take_digits(text, 2);
  if (!day || !take(text, " ")) return {};
  int month = 0;
  for (size_t i = 0; i < kMonths.size() && month == 0; ++i) {
    if (take(text, kMonths[i])) month = static_cast<int>(i) + 1;
  }
  if (month == 0 || !take(text, " ")) return {};
  const auto year = take_digits(text, 4);
  if (!year || !take(text, " ")) return {};
  int clock[3];
  if (!take_clock(text, clock) || text != " GMT") return {};
  return time_of(*year, month, *day, clock[0], clock[1], clock[2]);
}

}  // namespace

std::string format_timestamp(base::Time time, TimestampFormat format) {
  switch (format) {
    case TimestampFormat::epoch_seconds: return format_epoch(time);
    case TimestampFormat::date_time: return format_date_time(parts_of(time));
    case TimestampFormat::http_date: return format_http_date(parts_of(time));
  }
  return {};
}

std::optional<base::Time> time_from_seconds(double value) {
  if (!(value >= kSecondsMin && value <= kSecondsMax)) return {};
  return base::Time(base::Duration(std::llround(value * 1e6)));
}

std::optional<base::Time> parse_timestamp(std::string_view text, TimestampFormat format) {
  switch (format) {
    case TimestampFormat::date_time: return parse_date_time(text);
    case TimestampFormat::http_date: return parse_http_date(text);
    case TimestampFormat::epoch_seconds: break;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return time_from_seconds(value);
}

}  // namespace tidemill::wire
