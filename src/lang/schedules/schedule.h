// Schedule expressions: of EventBridge rules, and of EventBridge Scheduler.
//
//   rate(5 minutes)             a positive number of minutes, hours or days; "1 minute", "2 minutes"
//   cron(0 12 ? * MON-FRI *)    cron.h
//   at(2026-11-23T08:00:00)     once; only Scheduler
//
// Beyond AWS: rate(N seconds), and cron with seven fields, the first of which is seconds.
//
//   const auto schedule = Schedule::parse(text);
//   if (!schedule) refuse(...);              // AWS gives no reasons: "Invalid Schedule Expression <text>."
//   auto next = schedule->next(now, {.zone = *zone, .anchor = created});
//
// A day on which the clocks change, as AWS's Scheduler documents it: wall times that the clocks skip do not run, those
// that they repeat run once, the first time. Rates count time that passes, whatever the clocks show.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "lang/schedules/cron.h"
#include "lang/schedules/time_zone.h"

namespace tidemill::lang::schedules {

struct Basis {
  const TimeZone& zone;  // of cron and at; UTC for rules
  Time anchor;           // a rate runs then, and each so often after it
};

// Immutable, any thread.
class Schedule {
 public:
  enum class Kind { at, rate, cron };

  [[nodiscard]] static std::optional<Schedule> parse(std::string_view text);

  [[nodiscard]] Kind kind() const;
  // Whether it is one of the forms that AWS does not have.
  [[nodiscard]] bool counts_seconds() const;

  // The first time after `time` at which it runs, and the last before it. Nothing: none. A rate does not run before its
  // anchor. In no more steps than it has fields, wherever `time` is.
  [[nodiscard]] std::optional<Time> next(Time time, const Basis& basis) const;
  [[nodiscard]] std::optional<Time> previous(Time time, const Basis& basis) const;

 private:
  struct Rate {
    base::Duration every;
    bool in_seconds;
  };
  struct At {
    WallTime wall;
  };
  using Expression = std::variant<At, Rate, Cron>;

  explicit Schedule(Expression expression) : expression_(std::move(expression)) {}
  static std::optional<Rate> parse_rate(std::string_view text);
  static std::optional<At> parse_at(std::string_view text);

  Expression expression_;
};

}  // namespace tidemill::lang::schedules
