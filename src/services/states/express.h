// Express executions: run in memory from beginning to end, by the rules of durable ones and without history. A
// synchronous
// one belongs to its caller. An asynchronous one is noted before it is acknowledged, and forgotten when it has
// ended: so after a crash it runs again from its beginning, at least once. Not so while the store takes no writes:
// its end waits in memory.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/future.h"
#include "engine/timer_service.h"
#include "engine/unrecorded.h"
#include "services/states/machine_cache.h"
#include "services/states/map_run.h"
#include "services/states/running.h"
#include "services/states/stepper.h"
#include "services/states/tasks/task.h"
#include "wire/context.h"

namespace tidemill::states {

inline constexpr std::string_view kExpressTimer = "states-express";
inline constexpr base::Duration kExpressAgeMax = std::chrono::minutes(5);
inline constexpr size_t kExpressRunningMax = 1000;  // asynchronous ones, at the same time; each machine has a share

struct ExpressExecution {
  std::string arn;
  MachineRef machine;
  std::string name;
  std::string input;
  std::string revision;
  base::Time started;
  // Of a child of a map run
  std::string map_run;      // the run's key; empty: it is none
  uint64_t map_child = 0;   // which child
  std::string map_state;    // whose processor it runs
};

// A child of a map run: its ARN is made of the run and the index.
[[nodiscard]] ExpressExecution express_child(const MapRunRecord& run, uint64_t index, std::string input,
                                             base::Time now);

// arn:aws:states:us-east-1:123456789012:express:machine:name:uuid
[[nodiscard]] std::string express_arn(const MachineRef& machine, std::string_view name, std::string_view uuid);

class Express {
 public:
  // All must outlive it.
  Express(wire::Platform& platform, tasks::Caller& caller, MachineCache& machines, LongEvaluations& evaluations);

  static constexpr size_t kAwaitedMax = 10'000;  // executions whose callers wait; beyond: store::Overloaded

  // Runs it to its end, or to its time out, on the calling executor.
  Task<Ending> run(ExpressExecution execution) { return run(std::move(execution), nullptr); }
  // The same for a caller that waits for it.
  Task<Ending> run_awaited(ExpressExecution execution);

  // Notes an asynchronous one, which begins once this has committed.
  Task<void> start(store::Transaction& txn, ExpressExecution execution);
  // Of a child that may be running: its end is that it was aborted.
  Task<void> stop_child(ExpressExecution child);
  void register_with(engine::TimerService& timers);

 private:
  class Run;
  // Of one that is noted and running: it is to leave, for its end has been noted.
  struct Stop {
    std::atomic<bool> is_asked = false;
    base::Signal wake;
  };
  // `stop`: null: nobody stops it.
  Task<Ending> run(ExpressExecution execution, std::shared_ptr<const Stop> stop);
  Task<void> run_noted(const store::Timer& timer);
  // What is to be noted of the end of one that was noted.
  struct Ended {
    std::string map_run = {};  // as ExpressExecution's
    uint64_t map_child = 0;
    std::optional<ChildEnd> child = {};  // of a map run's
    [[nodiscard]] size_t bytes() const;  // about
  };
  Task<Ended> run_read(const store::Timer& timer, std::shared_ptr<const Stop> stop);

  wire::Platform& platform_;
  tasks::Caller& caller_;
  MachineCache& machines_;
  LongEvaluations& evaluations_;
  std::atomic<size_t> awaited_ = 0;
  std::mutex mutex_;
  std::multimap<std::string, std::shared_ptr<Stop>, std::less<>> stops_;  // by ARN; guarded by mutex_
  engine::Unrecorded<Ended> unrecorded_;  // on the timers' executor
};

}  // namespace tidemill::states
