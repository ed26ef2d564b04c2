// Step Functions, assembled: what its operations share, and how they come into the registry.
#pragma once

#include <memory>

#include "engine/timer_service.h"
#include "services/states/activity_polls.h"
#include "services/states/execution_log.h"
#include "services/states/express.h"
#include "services/states/machine_cache.h"
#include "services/states/map_runs.h"
#include "services/states/running.h"
#include "services/states/tasks/task.h"
#include "wire/context.h"
#include "wire/registry.h"

namespace tidemill::states {

struct ServiceOptions {
  bool polls_end_in_real_time = false;  // of workers, on a clock that stands
  bool evaluates_on_threads = true;     // what takes long; not in simulations
};

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  Service(wire::Platform& platform, std::unique_ptr<tasks::Caller> caller, ServiceOptions options = {});

  // Registers every operation.
  void register_operations(wire::Registry& registry);
  // Registers the handlers of its timers. Before the timers start.
  void register_timers(engine::TimerService& timers);
  // Brings up to date what an earlier version has left.
  Task<void> start();

  [[nodiscard]] wire::Platform& platform() { return platform_; }
  [[nodiscard]] store::Store& store() { return platform_.store; }
  [[nodiscard]] const tasks::Caller& caller() const { return *caller_; }
  [[nodiscard]] tasks::Caller& caller() { return *caller_; }
  [[nodiscard]] MachineCache& machines() { return machines_; }
  [[nodiscard]] Running& running() { return running_; }
  [[nodiscard]] Express& express() { return express_; }
  [[nodiscard]] LongEvaluations& evaluations() { return evaluations_; }
  [[nodiscard]] ActivityPolls& polls() { return polls_; }

 private:
  wire::Platform& platform_;
  std::unique_ptr<tasks::Caller> caller_;
  MachineCache machines_;
  LongEvaluations evaluations_;
  Running running_;
  Express express_;
  MapRuns map_runs_;
  ExecutionLogs logs_;
  ActivityPolls polls_;
};

}  // namespace tidemill::states
