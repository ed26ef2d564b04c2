// When a schedule runs: its expression, between its start and its end, and later by a flexible window.
#pragma once

#include <optional>

#include "base/clock.h"
#include "services/scheduler/schedule.h"
#include "services/scheduler/time_zones.h"

namespace tidemill::scheduler {

struct Run {
  base::Time scheduled;
  base::Time due;  // within the flexible window after that
};

class Plan {
 public:
  // Throws ValidationException for an expression or a time zone that is none. `schedule` outlives it.
  Plan(const Schedule& schedule, TimeZones& zones);

  // The first run of a schedule that was made or changed now: a rate without a start begins with one.
  [[nodiscard]] std::optional<Run> first() const;
  // The first one scheduled after `time`, and the last one until it.
  [[nodiscard]] std::optional<Run> after(base::Time time) const;
  [[nodiscard]] std::optional<Run> until(base::Time time) const;

  [[nodiscard]] bool is_once() const { return expression_.kind() == lang::schedules::Schedule::Kind::at; }

 private:
  static lang::schedules::Schedule parse(const Schedule& schedule);
  [[nodiscard]] lang::schedules::Basis basis() const;
  [[nodiscard]] Run run_at(base::Time scheduled) const;

  const Schedule& schedule_;
  lang::schedules::Schedule expression_;
  std::shared_ptr<const lang::schedules::TimeZone> zone_;
};

}  // namespace tidemill::scheduler
