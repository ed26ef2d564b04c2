#include "lang/schedules/cron.h"

#include <array>
#include <bit>
#include <vector>

#include "lang/schedules/cron_field.h"

namespace tidemill::lang::schedules {

namespace {

using std::chrono::days;
using std::chrono::local_days;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year_month;

constexpr auto kMonthNames = std::to_array<std::string_view>(
    {"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"});
constexpr auto kWeekdayNames = std::to_array<std::string_view>({"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"});

constexpr FieldKind kSecondsOrMinutes{0, 59, {}};
constexpr FieldKind kHours{0, 23, {}};
constexpr FieldKind kDays{1, 31, {}};
constexpr FieldKind kMonths{1, 12, kMonthNames};
constexpr FieldKind kWeekdays{1, 7, kWeekdayNames};
constexpr FieldKind kYears{kYearFirst, kYearLast, {}, false};

constexpr unsigned kDaysOfWeek = 7;
constexpr int kMinute = 60;
constexpr int kHour = 3600;

// The lowest value at or above `least`, and the highest at or below `most`.
std::optional<int> value_from(uint64_t bits, int least) {
  if (least >= 64) return std::nullopt;
  const uint64_t rest = bits >> least << least;
  if (rest == 0) return std::nullopt;
  return std::countr_zero(rest);
}

std::optional<int> value_until(uint64_t bits, int most) {
  if (most < 0) return std::nullopt;
  const uint64_t rest = bits << (63 - most) >> (63 - most);
  if (rest == 0) return std::nullopt;
  return 63 - std::countl_zero(rest);
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

unsigned last_day(year_month month) { return unsigned((month / std::chrono::last).day()); }

// 0: Sunday.
unsigned weekday_of(year_month month, unsigned day) {
  return std::chrono::weekday(sys_days(month / std::chrono::day(day))).c_encoding();
}

unsigned last_weekday(year_month month) {
  const unsigned last = last_day(month);
  switch (weekday_of(month, last)) {
    case 0:
      return last - 2;
    case 6:
      return last - 1;
    default:
      return last;
  }
}

// In the same month: the weekday nearest to Saturday the 1st is Monday the 3rd.
unsigned nearest_weekday(year_month month, unsigned day) {
  switch (weekday_of(month, day)) {
    case 0:
      return day == last_day(month) ? day - 2 : day + 1;
    case 6:
      return day == 1 ? day + 2 : day - 1;
    default:
      return day;
  }
}

}  // namespace

class Cron::Parser {
 public:
  static std::optional<Cron> parse(std::string_view text) {
    const auto fields = split(text);
    if (fields.size() != 6 && fields.size() != 7) return std::nullopt;
    Cron cron;
    size_t at = 0;
    cron.has_seconds_ = fields.size() == 7;
    if (cron.has_seconds_ && !set(cron.seconds_, kSecondsOrMinutes, fields[at++])) return std::nullopt;
    const bool good = set(cron.minutes_, kSecondsOrMinutes, fields[at]) && set(cron.hours_, kHours, fields[at + 1]) &&
                      set(cron.months_, kMonths, fields[at + 3]) && set_days(cron, fields[at + 2], fields[at + 4]) &&
                      set_years(cron, fields[at + 5]);
    if (!good) return std::nullopt;
    return cron;
  }

 private:
  static bool set(uint64_t& bits, const FieldKind& kind, std::string_view text) {
    const auto values = parse_field(kind, text);
    if (!values) return false;
    bits = values->to_ullong() << kind.min;
    return true;
  }

  static bool set_years(Cron& cron, std::string_view text) {
    const auto values = parse_field(kYears, text);
    for (size_t i = 0; values && i < cron.years_.size(); ++i) cron.years_[i] = (*values)[i];
    return values.has_value();
  }

  static bool set_days(Cron& cron, std::string_view of_month, std::string_view of_week) {
    if ((of_month == "?") == (of_week == "?")) return false;
    return of_month == "?" ? set_weekdays(cron, of_week) : set_days_of_month(cron, of_month);
  }

  static bool set_days_of_month(Cron& cron, std::string_view text) {
    if (text == "L" || text == "LW") {
      cron.rule_ = text == "L" ? DayRule::last : DayRule::last_weekday;
      return true;
    }
    if (!text.ends_with('W')) return set(cron.days_, kDays, text);
    const auto day = parse_field_value(kDays, text.substr(0, text.size() - 1));
    cron.rule_ = DayRule::nearest_weekday;
    cron.number_ = static_cast<unsigned>(day.value_or(0));
    return day.has_value();
  }

  static bool set_weekdays(Cron& cron, std::string_view text) {
    cron.rule_ = DayRule::weekdays;
    if (text == "L") text = "SAT";
    if (const size_t hash = text.find('#'); hash != std::string_view::npos) {
      constexpr FieldKind kNth{1, 5, {}};
      const auto nth = parse_field_value(kNth, text.substr(hash + 1));
      cron.rule_ = DayRule::nth_weekday;
      cron.number_ = static_cast<unsigned>(nth.value_or(0));
      return nth && set_weekday(cron, text.substr(0, hash));
    }
    if (text.ends_with('L')) {
      cron.rule_ = DayRule::last_of_weekday;
      return set_weekday(cron, text.substr(0, text.size() - 1));
    }
    const auto values = parse_field(kWeekdays, text);
    if (values) cron.weekdays_ = values->to_ullong();
    return values.has_value();
  }

  static bool set_weekday(Cron& cron, std::string_view text) {
    const auto value = parse_field_value(kWeekdays, text);
    if (value) cron.weekdays_ = uint64_t{1} << (*value - 1);
    return value.has_value();
  }
};

std::optional<Cron> Cron::parse(std::string_view fields) { return Parser::parse(fields); }

// Bit n: the n-th of the month matches.
uint32_t Cron::days_of(year_month month) const {
  const unsigned last = last_day(month);
  const auto bit = [](unsigned day) { return uint32_t{1} << day; };
  switch (rule_) {
    case DayRule::days:
      return static_cast<uint32_t>(days_ & ((uint64_t{2} << last) - 2));
    case DayRule::last:
      return bit(last);
    case DayRule::last_weekday:
      return bit(last_weekday(month));
    case DayRule::nearest_weekday:
      return number_ > last ? 0 : bit(nearest_weekday(month, number_));
    case DayRule::weekdays:
    case DayRule::last_of_weekday:
    case DayRule::nth_weekday:
      break;
  }
  uint32_t found = 0;
  unsigned weekday = weekday_of(month, 1);
  for (unsigned day = 1; day <= last; ++day, weekday = (weekday + 1) % kDaysOfWeek) {
    if ((weekdays_ >> weekday & 1) == 0) continue;
    const bool wanted = rule_ == DayRule::weekdays || (rule_ == DayRule::last_of_weekday && day + kDaysOfWeek > last) ||
                        (rule_ == DayRule::nth_weekday && (day - 1) / kDaysOfWeek + 1 == number_);
    if (wanted) found |= bit(day);
  }
  return found;
}

std::optional<sys_days> Cron::day_from(sys_days first) const {
  const std::chrono::year_month_day date(first);
  int month_least = static_cast<int>(unsigned(date.month()));
  int day_least = static_cast<int>(unsigned(date.day()));
  for (int year = static_cast<int>(date.year()); year <= kYearLast; ++year, month_least = 1, day_least = 1) {
    if (year < kYearFirst || !years_[static_cast<size_t>(year - kYearFirst)]) continue;
    for (auto month = value_from(months_, month_least); month; month = value_from(months_, *month + 1)) {
      const year_month of(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(*month)));
      const auto day = value_from(days_of(of), *month == month_least ? day_least : 1);
      if (day) return sys_days(of / std::chrono::day(static_cast<unsigned>(*day)));
    }
  }
  return std::nullopt;
}

std::optional<sys_days> Cron::day_until(sys_days last) const {
  const std::chrono::year_month_day date(last);
  int month_most = static_cast<int>(unsigned(date.month()));
  int day_most = static_cast<int>(unsigned(date.day()));
  for (int year = static_cast<int>(date.year()); year >= kYearFirst; --year, month_most = 12, day_most = 31) {
    if (year > kYearLast || !years_[static_cast<size_t>(year - kYearFirst)]) continue;
    for (auto month = value_until(months_, month_most); month; month = value_until(months_, *month - 1)) {
      const year_month of(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(*month)));
      const auto day = value_until(days_of(of), *month == month_most ? day_most : 31);
      if (day) return sys_days(of / std::chrono::day(static_cast<unsigned>(*day)));
    }
  }
  return std::nullopt;
}

// Of a day's seconds, the first match at or after `first`.
std::optional<int> Cron::second_from(int first) const {
  const auto lowest = [](uint64_t bits) { return std::countr_zero(bits); };
  const auto hour = value_from(hours_, first / kHour);
  if (!hour) return std::nullopt;
  if (*hour > first / kHour) return *hour * kHour + lowest(minutes_) * kMinute + lowest(seconds_);
  const int in_hour = first % kHour;
  const auto minute = value_from(minutes_, in_hour / kMinute);
  if (!minute) return second_from((*hour + 1) * kHour);
  if (*minute > in_hour / kMinute) return *hour * kHour + *minute * kMinute + lowest(seconds_);
  const auto second = value_from(seconds_, in_hour % kMinute);
  if (!second) return second_from(*hour * kHour + (*minute + 1) * kMinute);
  return *hour * kHour + *minute * kMinute + *second;
}

std::optional<int> Cron::second_until(int last) const {
  if (last < 0) return std::nullopt;
  const auto highest = [](uint64_t bits) { return 63 - std::countl_zero(bits); };
  const auto hour = value_until(hours_, last / kHour);
  if (!hour) return std::nullopt;
  if (*hour < last / kHour) return *hour * kHour + highest(minutes_) * kMinute + highest(seconds_);
  const int in_hour = last % kHour;
  const auto minute = value_until(minutes_, in_hour / kMinute);
  if (!minute) return second_until(*hour * kHour - 1);
  if (*minute < in_hour / kMinute) return *hour * kHour + *minute * kMinute + highest(seconds_);
  const auto second = value_until(seconds_, in_hour % kMinute);
  if (!second) return second_until(*hour * kHour + *minute * kMinute - 1);
  return *hour * kHour + *minute * kMinute + *second;
}

std::optional<WallTime> Cron::next(WallTime wall) const {
  const WallTime least = wall + seconds(1);
  const auto today = std::chrono::floor<days>(least);
  const sys_days date(today.time_since_epoch());
  const auto day = day_from(date);
  if (!day) return std::nullopt;
  if (*day == date) {
    if (const auto second = second_from(static_cast<int>((least - today).count()))) return today + seconds(*second);
    const auto later = day_from(date + days(1));
    if (!later) return std::nullopt;
    return local_days(later->time_since_epoch()) + seconds(*second_from(0));
  }
  return local_days(day->time_since_epoch()) + seconds(*second_from(0));
}

std::optional<WallTime> Cron::previous(WallTime wall) const {
  constexpr int kLastSecond = 24 * kHour - 1;
  const WallTime most = wall - seconds(1);
  const auto today = std::chrono::floor<days>(most);
  const sys_days date(today.time_since_epoch());
  const auto day = day_until(date);
  if (!day) return std::nullopt;
  if (*day == date) {
    if (const auto second = second_until(static_cast<int>((most - today).count()))) return today + seconds(*second);
    const auto earlier = day_until(date - days(1));
    if (!earlier) return std::nullopt;
    return local_days(earlier->time_since_epoch()) + seconds(*second_until(kLastSecond));
  }
  return local_days(day->time_since_epoch()) + seconds(*second_until(kLastSecond));
}

}  // namespace tidemill::lang::schedules
