#include "base/text.h"

#include <cstdio>

namespace tidemill::base {
namespace {

enum Letter { kA = 'A' };
static_assert(Catable<int> && Catable<uint64_t> && Catable<char> && Catable<std::string> && Catable<char[5]>);
static_assert(!Catable<double> && !Catable<float> && !Catable<bool> && !Catable<Letter>);

}  // namespace

std::string fixed(double number, int digits) {
  char buffer[64];
  return {buffer, static_cast<size_t>(std::snprintf(buffer, sizeof(buffer), "%.*f", digits, number))};
}

std::string hex(uint64_t number, int width) {
  // Not snprintf: every message's digest passes here byte by byte.
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[number & 15]);
    number >>= 4;
  } while (number != 0);
  if (text.size() < static_cast<size_t>(width)) text.insert(0, static_cast<size_t>(width) - text.size(), '0');
  return text;
}

std::string iso_milliseconds(Time time) {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<milliseconds>(time - day));
  char buffer[64];
  const int size = std::snprintf(
      buffer, sizeof(buffer), "%04d-%02u-%02uT%02d:%02d:%02d.%03d", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
      static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
      static_cast<int>(clock.subseconds().count()));
  return {buffer, static_cast<size_t>(size)};
}

}  // namespace tidemill::base
