// Runs schedules: in the transaction that takes the timer of a run, the run becomes a delivery and the next one a
// timer. So after a crash each run is still one or the other, and exactly one.
//
// What fell due while nobody was there: of a schedule's missed runs the last is made up for, if the schedule's maximum
// age still allows it and its group does not say otherwise (kMissedTag); the others are skipped, which is logged and
// counted.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/metrics.h"
#include "engine/timer_service.h"
#include "services/scheduler/plan.h"
#include "services/scheduler/schedule.h"
#include "services/scheduler/time_zones.h"
#include "store/store.h"

namespace tidemill::scheduler {

// Runs of schedules that become deliveries at the same time.
inline constexpr size_t kConcurrentSchedulesMax = 256;

class Running {
 public:
  // What is passed outlives this. What is due before now was missed.
  Running(store::Store& store, base::Clock& clock, base::Metrics& metrics, TimeZones& zones);

  // Before the timers start.
  void register_with(engine::TimerService& timers);

  // Keeps the schedule and lets its first run wait, or takes it away.
  Task<void> put(store::Transaction& txn, const Schedule& schedule);
  Task<void> erase(store::Transaction& txn, const ScheduleAddress& address);

 private:
  Task<void> run(const store::Timer& timer);
  // What is to be run now of a run that was missed; nothing: it is skipped.
  Task<std::optional<Run>> make_up(store::Transaction& txn, const Schedule& schedule, const Plan& plan, Run missed);
  static Task<void> wait_for(store::Transaction& txn, const Schedule& schedule, const std::optional<Run>& next);

  store::Store& store_;
  base::Clock& clock_;
  TimeZones& zones_;
  base::Counter& skipped_;
  const base::Time began_;
};

}  // namespace tidemill::scheduler
