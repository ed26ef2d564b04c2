// What the parts of one queue's mapping share: the newest configuration, and the world they work in. Everything on one
// executor.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/metrics.h"
#include "engine/invoker.h"
#include "engine/mappings/mapping.h"
#include "engine/mappings/mapping_rights.h"
#include "engine/mappings/queue_source.h"
#include "engine/ownership.h"
#include "store/store.h"

namespace tidemill::wire {
class PlatformMetrics;
}

namespace tidemill::engine {

// Bounds the memory of what is received and not yet done with, over all mappings of queues. Beyond it each receives only
// when it has nothing.
struct HeldMessages {
  static constexpr size_t kBytesMax = 256 * 1024 * 1024;
  size_t bytes = 0;
  [[nodiscard]] bool is_full() const { return bytes >= kBytesMax; }
};

// Under the label mapping="<uuid>".
struct QueueMappingMetrics {
  QueueMappingMetrics(base::Metrics& metrics, std::string_view uuid);

  base::Counter& batches;   // delivered, whatever came of it
  base::Counter& records;   // that the function has finished
  base::Counter& errors;    // invocations that failed
  base::Counter& filtered;  // removed because no filter wanted them
};

struct QueueRun {
  store::Store& store;
  base::Clock& clock;
  Ownership& ownership;
  QueueSource& source;
  Invoker& invoker;
  HeldMessages& held;
  QueueMappingMetrics metrics;

  std::shared_ptr<const Mapping> config;   // replaced on update; its source never changes
  base::Signal changed;                    // there is something new for the runner
  wire::PlatformMetrics* usage = nullptr;  // may be null
  MappingRights* rights = nullptr;         // what is asked before receiving and removing; null: all is allowed
};

}  // namespace tidemill::engine
