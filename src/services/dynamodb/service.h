// DynamoDB and DynamoDB Streams, assembled: what their operations share, and how they come into the registry.
#pragma once

#include <algorithm>
#include <thread>

#include "base/blocking_work.h"
#include "base/clock.h"
#include "engine/timer_service.h"
#include "services/dynamodb/backup_timers.h"
#include "services/dynamodb/expiry.h"
#include "services/dynamodb/item_collection.h"
#include "services/dynamodb/item_queue.h"
#include "services/dynamodb/stream_retention.h"
#include "services/dynamodb/table_cache.h"
#include "services/dynamodb/throttle.h"
#include "store/store.h"
#include "wire/registry.h"

namespace tidemill::dynamodb {

struct ServiceOptions {
  bool throttle = false;                               // enforce the throughput of tables
  int64_t collection_bytes_max = kCollectionBytesMax;  // of tables with local indexes; less only in tests
  wire::PlatformMetrics* usage = nullptr;              // AWS/DynamoDB metrics; may be null
  base::Histogram* expiry_lag = nullptr;               // how late items expire; may be null
};

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  Service(store::Store& store, base::Clock& clock, ServiceOptions options = {})
      : store_(store),
        clock_(clock),
        retention_(store, clock),
        expiry_(
            store, clock, [this](const TableAddress& table) { return note_expiry(table); }, options.usage,
            options.expiry_lag),
        backups_(store, clock),
        throttle_(clock, options.throttle, options.usage),
        large_items_(std::max(2, static_cast<int>(std::thread::hardware_concurrency()) / 2)),
        collection_bytes_max_(options.collection_bytes_max) {}

  // Registers every operation of both services.
  void register_operations(wire::Registry& registry);
  // Registers the handlers of its timers. Before the timers start.
  void register_timers(engine::TimerService& timers);

  [[nodiscard]] TableCache& tables() { return tables_; }
  [[nodiscard]] ItemQueue& queue() { return queue_; }
  // After a write to the table has committed: StreamRetention::note_write() for it and its replicas.
  Task<void> note_write(const Table& table) {
    return table.is_replica() ? note_replicated_write(table) : retention_.note_write(table);
  }
  [[nodiscard]] Throttle& throttle() { return throttle_; }
  [[nodiscard]] int64_t collection_bytes_max() const { return collection_bytes_max_; }
  // Where items are weighed, changed and written down that may have so many values that it takes a millisecond or two
  // (wire::do_large_joined).
  [[nodiscard]] base::BlockingWork* large_items() { return &large_items_; }

 private:
  Task<void> note_replicated_write(const Table& table);
  Task<void> note_expiry(const TableAddress& address);

  store::Store& store_;
  base::Clock& clock_;
  TableCache tables_;
  ItemQueue queue_;
  StreamRetention retention_;
  Expiry expiry_;
  BackupTimers backups_;
  Throttle throttle_;
  base::BlockingWork large_items_;
  const int64_t collection_bytes_max_;
};

}  // namespace tidemill::dynamodb
