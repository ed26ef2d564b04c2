// How the clocks of a zone change every year: the rule in POSIX's TZ syntax, as the last line of a zone file has it,
// "CET-1CEST,M3.5.0,M10.5.0/3".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tidemill::lang::schedules {

class ZoneRule {
 public:
  ZoneRule() = default;  // UTC for ever
  [[nodiscard]] static std::optional<ZoneRule> parse(std::string_view text);

  // Whether the clocks ever change.
  [[nodiscard]] bool changes() const { return changes_; }
  // Seconds ahead of UTC; of standard time, if the clocks change.
  [[nodiscard]] int64_t standard_offset() const { return standard_; }

  struct Change {
    int64_t at;      // seconds since 1970
    int64_t offset;  // from then on
  };
  // Those of a year, in order.
  [[nodiscard]] std::array<Change, 2> in_year(int year) const;

 private:
  // A day of each year, and a time on its wall.
  struct Day {
    enum class Kind { month_week_weekday, day_without_leap, day_from_zero };
    Kind kind = Kind::day_from_zero;
    int month = 0;
    int week = 0;     // 5: the last
    int weekday = 0;  // 0: Sunday
    int day = 0;
    int64_t second = 2 * 3600;
    [[nodiscard]] int64_t in_year(int year) const;
  };
  class Parser;

  int64_t standard_ = 0;
  int64_t summer_ = 0;
  bool changes_ = false;
  Day begins_;
  Day ends_;
};

}  // namespace tidemill::lang::schedules
