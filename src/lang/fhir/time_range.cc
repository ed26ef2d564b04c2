#include "lang/fhir/time_range.h"

#include <array>

#include "base/text.h"

namespace tidemill::lang::fhir {

namespace {

using namespace std::chrono;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes parts off the front; what does not fit latches a failure.
class Parts {
 public:
  explicit Parts(std::string_view text) : rest_(text) {}

  int number(size_t digits) {
    if (rest_.size() < digits) return fail();
    int value = 0;
    for (size_t i = 0; i < digits; ++i) {
      if (!is_digit(rest_[i])) return fail();
      value = value * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }
  bool take(char c) {
    if (failed_ || !rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void require(char c) {
    if (!take(c)) fail();
  }
  // The digits behind a point, in microseconds, and how long the last of them is.
  std::pair<microseconds, microseconds> fraction() {
    microseconds value{0};
    microseconds unit{1000000};
    if (rest_.empty() || !is_digit(rest_.front())) fail();
    for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1)) {
      if (unit.count() == 1) continue;  // finer than the clock
      unit /= 10;
      value += (rest_.front() - '0') * unit;
    }
    return {value, unit};
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool ok() const { return !failed_; }
  int fail() {
    failed_ = true;
    rest_ = {};
    return 0;
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

base::Time at(year_month_day day) { return base::Time(sys_days(day).time_since_epoch()); }

// Behind the time of day: how far its clocks are from UTC.
minutes read_zone(Parts& parts) {
  if (parts.at_end() || parts.take('Z')) return minutes(0);
  const bool behind = parts.take('-');
  if (!behind && !parts.take('+') && !parts.take(' ')) parts.fail();
  const int hour = parts.number(2);
  parts.require(':');
  const int minute = parts.number(2);
  if (hour > 14 || minute > 59) parts.fail();
  const minutes ahead = hours(hour) + minutes(minute);
  return behind ? -ahead : ahead;
}

std::optional<TimeRange> read_time_of_day(Parts& parts, base::Time day) {
  const int hour = parts.number(2);
  parts.require(':');
  const int minute = parts.number(2);
  base::Time begin = day + hours(hour) + minutes(minute);
  microseconds length = minutes(1);
  int second = 0;
  if (parts.take(':')) {
    second = parts.number(2);
    begin += seconds(second);
    length = seconds(1);
    if (parts.take('.')) {
      const auto [value, unit] = parts.fraction();
      begin += value;
      length = unit;
    }
  }
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  begin -= read_zone(parts);
  if (!parts.ok() || !parts.at_end()) return std::nullopt;
  return TimeRange{begin, begin + length};
}

}  // namespace

std::optional<TimeRange> parse_time(std::string_view text) {
  Parts parts(text);
  const year y(parts.number(4));
  if (!parts.ok() || y < year(1)) return std::nullopt;
  if (parts.at_end()) return TimeRange{at(y / January / 1), at((y + years(1)) / January / 1)};
  parts.require('-');
  const year_month ym = y / month(static_cast<unsigned>(parts.number(2)));
  if (!parts.ok() || !ym.ok()) return std::nullopt;
  if (parts.at_end()) return TimeRange{at(ym / 1), at((ym + months(1)) / 1)};
  parts.require('-');
  const year_month_day day = ym / std::chrono::day(static_cast<unsigned>(parts.number(2)));
  if (!parts.ok() || !day.ok()) return std::nullopt;
  if (parts.at_end()) return TimeRange{at(day), at(day) + days(1)};
  parts.require('T');
  return read_time_of_day(parts, at(day));
}

std::string write_instant(base::Time time) { return base::iso_milliseconds(time) + "Z"; }

std::optional<Prefixed> split_prefix(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Prefix>, 8> kPrefixes{{{"eq", Prefix::eq},
                                                                          {"ne", Prefix::ne},
                                                                          {"gt", Prefix::gt},
                                                                          {"lt", Prefix::lt},
                                                                          {"ge", Prefix::ge},
                                                                          {"le", Prefix::le},
                                                                          {"sa", Prefix::sa},
                                                                          {"eb", Prefix::eb}}};
  for (const auto& [name, prefix] : kPrefixes) {
    if (text.starts_with(name)) return Prefixed{prefix, text.substr(name.size())};
  }
  const bool begins_with_letter = !text.empty() && text.front() >= 'a' && text.front() <= 'z';
  if (begins_with_letter) return std::nullopt;
  return Prefixed{Prefix::eq, text};
}

bool compare(Prefix prefix, const TimeRange& target, const TimeRange& searched) {
  const bool contained = searched.begin <= target.begin && target.end <= searched.end;
  switch (prefix) {
    case Prefix::eq:
      return contained;
    case Prefix::ne:
      return !contained;
    case Prefix::gt:
      return target.end > searched.end;
    case Prefix::lt:
      return target.begin < searched.begin;
    case Prefix::ge:
      return target.end > searched.begin;  // also what ends within it
    case Prefix::le:
      return target.begin < searched.end;
    case Prefix::sa:
      return target.begin >= searched.end;
    case Prefix::eb:
      return target.end <= searched.begin;
  }
  return false;
}

}  // namespace tidemill::lang::fhir
