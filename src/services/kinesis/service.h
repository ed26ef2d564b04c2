// Kinesis Data Streams, assembled: what its operations share, and how they come into the registry.
#pragma once

#include "base/clock.h"
#include "engine/data_keys.h"
#include "engine/timer_service.h"
#include "services/kinesis/on_demand.h"
#include "services/kinesis/retention.h"
#include "services/kinesis/stream.h"
#include "services/kinesis/subscriptions.h"
#include "services/kinesis/throttle.h"
#include "store/store.h"
#include "wire/registry.h"

namespace tidemill::kinesis {

struct ServiceOptions {
  bool throttle = false;  // enforce the throughput of shards
};

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  Service(store::Store& store, base::Clock& clock, ServiceOptions options = {})
      : store_(store), clock_(clock), data_keys_(clock), retention_(store, clock), throttle_(clock, options.throttle) {}

  // Registers every operation.
  void register_operations(wire::Registry& registry);
  // Registers the handlers of its timers. Before the timers start.
  void register_timers(engine::TimerService& timers);

  [[nodiscard]] store::Store& store() { return store_; }
  [[nodiscard]] base::Clock& clock() { return clock_; }
  [[nodiscard]] StreamCache& streams() { return streams_; }
  [[nodiscard]] Retention& retention() { return retention_; }
  [[nodiscard]] Throttle& throttle() { return throttle_; }
  [[nodiscard]] OnDemandLoad& on_demand_load() { return on_demand_load_; }

  // Of the keys of streams that encrypt.
  [[nodiscard]] engine::DataKeys& data_keys() { return data_keys_; }
  [[nodiscard]] Subscriptions& subscriptions() { return subscriptions_; }

  // The stream as it is now. Throws ResourceNotFoundException.
  Task<StreamPtr> find_stream(StreamAddress address);

  // Changes the stream's description by `apply`, (Transaction&, Stream&) -> Task<void>, which throws to refuse.
  template <class Apply>
  Task<void> change(StreamAddress address, Apply apply) {
    co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
      const StreamPtr current = co_await streams_.get(txn, address);
      Stream stream = *current;
      co_await apply(txn, stream);
      save_stream(txn, stream);
    });
  }

 private:
  store::Store& store_;
  base::Clock& clock_;
  engine::DataKeys data_keys_;
  StreamCache streams_;
  Retention retention_;
  Throttle throttle_;
  OnDemandLoad on_demand_load_;
  Subscriptions subscriptions_;
};

}  // namespace tidemill::kinesis
