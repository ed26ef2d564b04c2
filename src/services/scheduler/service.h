// EventBridge Scheduler, assembled: what its operations share, and how they come into the registry.
#pragma once

#include "engine/deliveries.h"
#include "engine/timer_service.h"
#include "services/scheduler/running.h"
#include "services/scheduler/time_zones.h"
#include "wire/context.h"
#include "wire/registry.h"

namespace tidemill::scheduler {

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  explicit Service(wire::Platform& platform);

  // Registers every operation.
  void register_operations(wire::Registry& registry);
  // Registers the handlers of its timers and how runs leave. Before the timers start.
  void register_timers(engine::TimerService& timers, engine::Deliveries& deliveries);

  [[nodiscard]] store::Store& store() { return platform_.store; }
  [[nodiscard]] Running& running() { return running_; }

 private:
  wire::Platform& platform_;
  TimeZones zones_;
  Running running_;
};

}  // namespace tidemill::scheduler
