// CloudWatch, assembled: what its operations share, and how they come into the registry.
#pragma once

#include "base/clock.h"
#include "base/executor.h"
#include "engine/timer_service.h"
#include "services/cloudwatch/metric_writer.h"
#include "services/cloudwatch/platform_writer.h"
#include "store/store.h"
#include "wire/context.h"
#include "wire/metrics/platform_metrics.h"
#include "wire/registry.h"

namespace tidemill::cloudwatch {

// Made once in main; outlives the registry's use. Any thread; made and destroyed on `executor`.
class Service {
 public:
  // What the platform gathers of itself comes from `gathered`, and is written on `executor`.
  Service(store::Store& store, base::Clock& clock, base::Executor& executor, wire::PlatformMetrics& gathered)
      : store_(store), clock_(clock), writer_(store, clock), platform_writer_(clock, executor, gathered, writer_) {}

  // Registers every operation.
  void register_operations(wire::Registry& registry);
  // Registers the handlers of its timers. Before the timers start.
  void register_timers(engine::TimerService& timers);

  [[nodiscard]] store::Store& store() { return store_; }
  [[nodiscard]] base::Clock& clock() { return clock_; }
  [[nodiscard]] MetricWriter& writer() { return writer_; }
  [[nodiscard]] PlatformWriter& platform_writer() { return platform_writer_; }

 private:
  store::Store& store_;
  base::Clock& clock_;
  MetricWriter writer_;
  PlatformWriter platform_writer_;
};

}  // namespace tidemill::cloudwatch
