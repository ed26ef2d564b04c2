// The event source mappings at work: reads each shard of each mapping's stream, forms batches, invokes the function,
// and keeps a durable checkpoint; or receives from the mapping's queue, and removes what the function has finished. A
// commit wakes the poller of its shard or queue; nothing polls on an interval. Where several processes share the store,
// each follows all mappings, and reads the shards and queues that it owns (ownership.h).
#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "engine/invoker.h"
#include "engine/mappings/mapping.h"
#include "engine/mappings/mapping_run.h"
#include "engine/mappings/queue_source.h"
#include "engine/mappings/stream_source.h"
#include "engine/mappings/tumbling_window.h"
#include "engine/ownership.h"
#include "store/store.h"

namespace tidemill::wire {
class PlatformMetrics;
}

namespace tidemill::engine {

class Mappings {
 public:
  // Everything passed in outlives this. All its work runs on `executor`.
  Mappings(base::Executor& executor, store::Store& store, base::Clock& clock, Ownership& ownership,
           base::Metrics& metrics, std::vector<StreamSource*> sources, Invoker& invoker, wire::PlatformMetrics* usage = nullptr,
           std::vector<QueueSource*> queues = {}, base::Duration window_idle_wait = kWindowIdleWait,
           size_t batch_bytes_max = kBatchBytesInAllMax);  // less only in tests
  // On `executor`, or when it no longer runs. What is in flight is abandoned and will be delivered again.
  ~Mappings();
  Mappings(const Mappings&) = delete;

  // Before start(): what runs asks `rights` before it reads and removes. They outlive this; null: all is allowed.
  void guard_with(MappingRights* rights);

  // Takes up all mappings in the store, and from now on every change that is signalled by kMappingsTopic.
  void start();

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace tidemill::engine
