// cron(minutes hours day-of-month month day-of-week year) as AWS has it, and beyond AWS with seconds in front. Times on
// the wall: what a time zone makes of them is not asked here.
//
// A field is "*", values, ranges ("8-17", also across the end: "22-2") and steps ("0/15", "*/2", "8-17/2"), with commas
// between them. Months and days of the week have names; Sunday is 1. Besides:
//   day of the month   "L" the last, "15W" the weekday nearest to the 15th in that month, "LW" the last weekday
//   day of the week    "L" Saturday, "6L" the last Friday, "3#2" the second Tuesday
// One of the two days must be "?", and only one.
#pragma once

#include <bitset>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tidemill::lang::schedules {

using WallTime = std::chrono::local_seconds;

inline constexpr int kYearFirst = 1970;
inline constexpr int kYearLast = 2199;

class Cron {
 public:
  // Of what stands between the parentheses.
  [[nodiscard]] static std::optional<Cron> parse(std::string_view fields);

  // Whether it has seconds.
  [[nodiscard]] bool has_seconds() const { return has_seconds_; }

  // The first match after `wall`, and the last before it. Goes from field to field, never from minute to minute.
  [[nodiscard]] std::optional<WallTime> next(WallTime wall) const;
  [[nodiscard]] std::optional<WallTime> previous(WallTime wall) const;

 private:
  enum class DayRule { days, last, last_weekday, nearest_weekday, weekdays, last_of_weekday, nth_weekday };
  class Parser;

  [[nodiscard]] uint32_t days_of(std::chrono::year_month month) const;
  [[nodiscard]] std::optional<std::chrono::sys_days> day_from(std::chrono::sys_days first) const;
  [[nodiscard]] std::optional<std::chrono::sys_days> day_until(std::chrono::sys_days last) const;
  [[nodiscard]] std::optional<int> second_from(int first) const;
  [[nodiscard]] std::optional<int> second_until(int last) const;

  // Bit n: the value n.
  uint64_t seconds_ = 1;
  uint64_t minutes_ = 0;
  uint64_t hours_ = 0;
  uint64_t months_ = 0;
  uint64_t days_ = 0;      // of the month
  uint64_t weekdays_ = 0;  // 0: Sunday
  std::bitset<kYearLast - kYearFirst + 1> years_;
  DayRule rule_ = DayRule::days;
  unsigned number_ = 0;  // of the rule: the day that a weekday is near to, or which weekday of its kind
  bool has_seconds_ = false;
};

}  // namespace tidemill::lang::schedules
