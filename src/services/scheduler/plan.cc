#include "services/scheduler/plan.h"

#include <functional>

#include "base/text.h"
#include "services/scheduler/errors.h"

namespace tidemill::scheduler {

using base::cat;
using lang::schedules::Basis;

namespace {

constexpr base::Duration kInstant(1);

}  // namespace

Plan::Plan(const Schedule& schedule, TimeZones& zones)
    : schedule_(schedule), expression_(parse(schedule)), zone_(zones.find(schedule.time_zone)) {
  if (!zone_) throw invalid(cat("Invalid ScheduleExpressionTimezone ", schedule.time_zone, "."));
}

lang::schedules::Schedule Plan::parse(const Schedule& schedule) {
  auto parsed = lang::schedules::Schedule::parse(schedule.expression);
  if (!parsed) throw invalid(cat("Invalid Schedule Expression ", schedule.expression, "."));
  return *std::move(parsed);
}

Basis Plan::basis() const { return {*zone_, schedule_.start.value_or(schedule_.modified)}; }

std::optional<Run> Plan::first() const { return after(schedule_.modified - kInstant); }

std::optional<Run> Plan::after(base::Time time) const {
  // Of those that run once AWS ignores start and end.
  if (schedule_.start && !is_once()) time = std::max(time, *schedule_.start - kInstant);
  const auto next = expression_.next(time, basis());
  if (!next || (schedule_.end && !is_once() && *next > *schedule_.end)) return std::nullopt;
  return run_at(*next);
}

std::optional<Run> Plan::until(base::Time time) const {
  if (schedule_.end && !is_once()) time = std::min(time, *schedule_.end);
  const auto last = expression_.previous(time + kInstant, basis());
  if (!last || (schedule_.start && !is_once() && *last < *schedule_.start)) return std::nullopt;
  return run_at(*last);
}

// Spread by a hash and not by chance, so that a run is planned alike however often it is.
Run Plan::run_at(base::Time scheduled) const {
  if (schedule_.window.count() == 0) return {scheduled, scheduled};
  const auto window = static_cast<size_t>(base::Duration(schedule_.window).count());
  const size_t hash = std::hash<std::string>()(cat(schedule_.address.arn(), scheduled.time_since_epoch().count()));
  return {scheduled, scheduled + base::Duration(static_cast<int64_t>(hash % window))};
}

}  // namespace tidemill::scheduler
