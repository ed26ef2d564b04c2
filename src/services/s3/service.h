// S3, assembled: what its operations share, and how they come into the registry.
#pragma once

#include "base/clock.h"
#include "engine/deliveries.h"
#include "engine/timer_service.h"
#include "services/s3/request_metrics.h"
#include "services/s3/versions.h"
#include "store/blobs.h"
#include "store/store.h"
#include "wire/registry.h"

namespace tidemill::s3 {

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  Service(store::Store& store, store::Blobs& blobs, base::Clock& clock) : store_(store), blobs_(blobs), clock_(clock), request_metrics_(store) {}

  // Registers every operation.
  void register_operations(wire::Registry& registry);
  // Registers the handlers of its timers. Before the timers start. What buckets hold is told to `usage`; it may be null.
  void register_timers(engine::TimerService& timers, wire::PlatformMetrics* usage);
  // Registers the senders of its deliveries. Before the timers start.
  void register_senders(engine::Deliveries& deliveries, wire::Platform& platform);

  [[nodiscard]] store::Store& store() { return store_; }
  [[nodiscard]] store::Blobs& blobs() { return blobs_; }
  [[nodiscard]] base::Clock& clock() { return clock_; }
  [[nodiscard]] RequestMetrics& request_metrics() { return request_metrics_; }

 private:
  store::Store& store_;
  store::Blobs& blobs_;
  base::Clock& clock_;
  RequestMetrics request_metrics_;
};

}  // namespace tidemill::s3
