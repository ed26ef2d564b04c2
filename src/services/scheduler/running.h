// Runs schedules. A run at a queue is sent by the commit that takes its timer and sets that of the next run: a thousand
// of them wait for the disk once each. A run at another target that takes at once what it gets is sent while its timer
// stands; what a target did not take becomes a delivery, as all runs at other targets do, in the transaction that takes
// the timer and sets that of the next run. So after a crash each run is still one or the other, and exactly one; and
// who sends it again, since he was killed before that transaction, sends it under the same execution id. While the store
// takes no writes, what has come of it is kept in memory, and it is not sent again for that.
//
// A schedule has one timer, that of its next run. Where a flexible window is longer than the schedule's period, a run waits
// for the one before it, and goes at once when its own moment has passed meanwhile: within its window all the same.
//
// What fell due while nobody was there, since the server was down, the machine slept or its clock was set forward: of a
// schedule's missed runs the last is made up for, if the schedule's maximum age still allows it and its group does not
// say otherwise (kMissedTag); the others are skipped, which is logged and counted.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "engine/deliveries.h"
#include "engine/timer_service.h"
#include "services/scheduler/plan.h"
#include "services/scheduler/schedule.h"
#include "services/scheduler/time_zones.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::scheduler {

// Runs of schedules that are sent, or become deliveries, at the same time.
inline constexpr size_t kConcurrentSchedulesMax = 512;

// A run that is later than this was missed, though the server was running.
inline constexpr base::Duration kMissedAfter = std::chrono::minutes(5);

class Running {
 public:
  // What is passed outlives this. What is due before now was missed.
  Running(wire::Platform& platform, TimeZones& zones);

  // Before the timers start.
  void register_with(engine::TimerService& timers, engine::Deliveries& deliveries);

  // Keeps the schedule and lets its first run wait, or takes it away.
  Task<void> put(store::Transaction& txn, const Schedule& schedule);
  Task<void> erase(store::Transaction& txn, const ScheduleAddress& address);

 private:
  struct Sent {
    store::Delivery delivery;
    bool is_delivered = false;
  };
  // What could not be recorded for now, of a run by the timer as it was set then.
  struct Unrecorded {
    store::Version set_at;
    Sent sent;
  };
  Task<void> run(const store::Timer& timer);
  // The next run waits; this one is a delivery if it is to be. False: it is none.
  Task<bool> record(const store::Timer& timer, const std::optional<Sent>& sent);
  void keep_unrecorded(const store::Timer& timer, Sent sent);
  std::optional<Sent> take_unrecorded(const store::Timer& timer);
  void forget_unrecorded(std::map<std::string, Unrecorded>::iterator kept);
  // At a queue. False: it is none, or does not take it, or the run was missed; nothing has happened then, unless `sent`
  // says that the message was taken by a commit of its own.
  Task<bool> run_by_one_commit(const store::Timer& timer, std::optional<Sent>& sent);
  // Nothing: the run is to become a delivery first, or is not wanted any more.
  Task<std::optional<Sent>> send_ahead(const store::Timer& timer);
  [[nodiscard]] bool is_missed(const Run& run, base::Time now) const;
  // What is to be run now of a run that was missed; nothing: it is skipped.
  Task<std::optional<Run>> make_up(store::Transaction& txn, const Schedule& schedule, const Plan& plan, Run missed);
  // The next run, or the end of it.
  static Task<void> move_on(store::Transaction& txn, const store::Timer& timer, const Schedule& schedule,
                            const std::optional<Run>& next);
  static Task<void> wait_for(store::Transaction& txn, const Schedule& schedule, const std::optional<Run>& next);

  wire::Platform& platform_;
  store::Store& store_;
  base::Clock& clock_;
  TimeZones& zones_;
  engine::Deliveries* deliveries_ = nullptr;
  std::map<std::string, Unrecorded> unrecorded_;  // by the timer's id; no more than kUnrecordedBytesMax (engine/deliveries.h)
  size_t unrecorded_bytes_ = 0;
  base::Counter& skipped_;
  const base::Time began_;
};

}  // namespace tidemill::scheduler
