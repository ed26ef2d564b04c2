// S3, assembled: what its operations share, and how they come into the registry.
#pragma once

#include <atomic>

#include "base/blocking_work.h"
#include "base/clock.h"
#include "engine/deliveries.h"
#include "engine/timer_service.h"
#include "services/s3/request_metrics.h"
#include "services/s3/versions.h"
#include "store/blobs.h"
#include "store/store.h"
#include "wire/registry.h"

namespace tidemill::s3 {

enum class AccessLogState : uint8_t { unknown, none, some };

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  // `uses_threads` false: for simulations.
  Service(store::Store& store, store::Blobs& blobs, base::Clock& clock, bool uses_threads = false)
      : store_(store),
        blobs_(blobs),
        clock_(clock),
        request_metrics_(store),
        select_work_(uses_threads ? kSelectThreads : 0) {}

  // Registers every operation.
  void register_operations(wire::Registry& registry);
  // Registers the handlers of its timers. Before the timers start. What buckets hold is told to `usage`; it may be null.
  void register_timers(engine::TimerService& timers, wire::PlatformMetrics* usage);
  // Those of inventories, which are written to other buckets by calls.
  void register_inventories(engine::TimerService& timers, wire::Platform& platform);
  // Registers the senders of its deliveries. Before the timers start.
  void register_senders(engine::Deliveries& deliveries, wire::Platform& platform);

  [[nodiscard]] store::Store& store() { return store_; }
  [[nodiscard]] store::Blobs& blobs() { return blobs_; }
  [[nodiscard]] base::Clock& clock() { return clock_; }
  [[nodiscard]] RequestMetrics& request_metrics() { return request_metrics_; }
  // Whether any bucket has an access log (access_logs.h).
  [[nodiscard]] AccessLogState access_log_state() const { return access_log_state_.load(std::memory_order_relaxed); }
  void note_access_log() { access_log_state_ = AccessLogState::some; }
  // What a look at all buckets has found, unless one has got a log meanwhile.
  void know_access_logs(bool is_any) {
    AccessLogState unknown = AccessLogState::unknown;
    access_log_state_.compare_exchange_strong(unknown, is_any ? AccessLogState::some : AccessLogState::none);
  }
  // For queries on objects.
  [[nodiscard]] base::BlockingWork& select_work() { return select_work_; }

 private:
  static constexpr int kSelectThreads = 2;

  store::Store& store_;
  store::Blobs& blobs_;
  base::Clock& clock_;
  RequestMetrics request_metrics_;
  std::atomic<AccessLogState> access_log_state_ = AccessLogState::unknown;
  base::BlockingWork select_work_;
};

}  // namespace tidemill::s3
