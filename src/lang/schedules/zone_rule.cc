#include "lang/schedules/zone_rule.h"

#include <chrono>
#include <utility>

namespace tidemill::lang::schedules {

namespace {

constexpr int64_t kDay = 86400;
// RFC 8536 lets a change be a week away from its day.
constexpr int kHoursMax = 167;
// More than any clock on the earth is away from UTC.
constexpr int64_t kOffsetMax = 26 * 3600;

int64_t seconds_of(std::chrono::sys_days day) { return day.time_since_epoch().count() * kDay; }

}  // namespace

// Each part answers whether it was there, and takes it off the text.
class ZoneRule::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool parse(ZoneRule& rule) {
    if (!name() || !offset(rule.standard_)) return false;
    if (text_.empty()) return true;
    if (!name()) return false;
    rule.summer_ = rule.standard_ + 3600;
    if (!text_.starts_with(',') && !offset(rule.summer_)) return false;
    rule.changes_ = true;
    return take(',') && day(rule.begins_) && take(',') && day(rule.ends_) && text_.empty();
  }

 private:
  bool take(char wanted) {
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(1);
    return true;
  }

  // "CET" or "<+0330>"; nothing is made of it.
  bool name() {
    const bool quoted = take('<');
    size_t size = 0;
    const auto belongs = [&](char c) {
      const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
      return letter || (quoted && ((c >= '0' && c <= '9') || c == '+' || c == '-'));
    };
    while (size < text_.size() && belongs(text_[size])) ++size;
    text_.remove_prefix(size);
    return size >= 3 && (!quoted || take('>'));
  }

  bool number(int max, int& out) {
    size_t size = 0;
    for (out = 0; size < text_.size() && size < 3 && text_[size] >= '0' && text_[size] <= '9'; ++size) {
      out = out * 10 + (text_[size] - '0');
    }
    text_.remove_prefix(size);
    return size > 0 && out <= max;
  }

  // "[+-]hh[:mm[:ss]]"
  bool time(int64_t& out) {
    const bool negative = take('-');
    if (!negative) take('+');
    int hours = 0, minutes = 0, seconds = 0;
    if (!number(kHoursMax, hours)) return false;
    if (take(':') && !number(59, minutes)) return false;
    if (take(':') && !number(59, seconds)) return false;
    out = (hours * 60 + minutes) * 60 + seconds;
    if (negative) out = -out;
    return true;
  }

  // POSIX counts what the wall is behind UTC.
  bool offset(int64_t& out) {
    if (!time(out)) return false;
    out = -out;
    return out >= -kOffsetMax && out <= kOffsetMax;
  }

  bool day(Day& out) {
    if (take('M')) {
      out.kind = Day::Kind::month_week_weekday;
      if (!number(12, out.month) || out.month < 1 || !take('.')) return false;
      if (!number(5, out.week) || out.week < 1 || !take('.') || !number(6, out.weekday)) return false;
    } else {
      out.kind = take('J') ? Day::Kind::day_without_leap : Day::Kind::day_from_zero;
      if (!number(365, out.day)) return false;
      if (out.kind == Day::Kind::day_without_leap && out.day < 1) return false;
    }
    return !take('/') || time(out.second);
  }

  std::string_view text_;
};

std::optional<ZoneRule> ZoneRule::parse(std::string_view text) {
  ZoneRule rule;
  if (!Parser(text).parse(rule)) return std::nullopt;
  return rule;
}

int64_t ZoneRule::Day::in_year(int number) const {
  using namespace std::chrono;
  const std::chrono::year year(number);
  if (kind == Kind::month_week_weekday) {
    const auto of_month = year / std::chrono::month(static_cast<unsigned>(month));
    const std::chrono::weekday wanted(static_cast<unsigned>(weekday));
    if (week == 5) return seconds_of(sys_days(of_month / wanted[last])) + second;
    return seconds_of(sys_days(of_month / wanted[static_cast<unsigned>(week)])) + second;
  }
  const int64_t first = seconds_of(sys_days(year / January / 1));
  if (kind == Kind::day_from_zero) return first + day * kDay + second;
  // Counted as if there were no 29 February, the 60th day is 1 March in every year.
  const bool passes_leap_day = year.is_leap() && day >= 60;
  return first + (day - 1 + passes_leap_day) * kDay + second;
}

std::array<ZoneRule::Change, 2> ZoneRule::in_year(int year) const {
  std::array<Change, 2> changes = {Change{begins_.in_year(year) - standard_, summer_},
                                   Change{ends_.in_year(year) - summer_, standard_}};
  if (changes[1].at < changes[0].at) std::swap(changes[0], changes[1]);
  return changes;
}

}  // namespace tidemill::lang::schedules
