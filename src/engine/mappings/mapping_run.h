// What the pollers of one mapping's shards share: the newest configuration, the outcome they report, and the world
// they work in. Everything on one executor.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/budget.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/seldom_log.h"
#include "engine/invoker.h"
#include "engine/mappings/mapping.h"
#include "engine/mappings/mapping_rights.h"
#include "engine/mappings/record_filter.h"
#include "engine/mappings/stream_source.h"
#include "engine/mappings/tumbling_window.h"
#include "engine/ownership.h"
#include "store/store.h"

namespace tidemill::wire {
class PlatformMetrics;
}

namespace tidemill::engine {

// Of the memory that the lanes of all mappings may have for records, those of their batches and what is read ahead of
// them, and for the events that are made of batches. A lane that finds no room for more goes on with lean batches,
// which every lane always may have: so none waits for another, whose function may take long.
inline constexpr size_t kBatchBytesInAllMax = 256 * 1024 * 1024;
inline constexpr size_t kLeanBatchBytes = 256 * 1024;

// Under the label mapping="<uuid>".
struct MappingMetrics {
  MappingMetrics(base::Metrics& metrics, std::string_view uuid);

  base::Counter& batches;            // delivered, whatever came of it
  base::Counter& records;            // in batches that succeeded
  base::Counter& errors;             // invocations that failed
  base::Counter& discarded_records;  // given up: expired, or attempts exhausted
  // Age of the last record of the batch that was finished last, in microseconds.
  std::shared_ptr<std::atomic<int64_t>> iterator_age;
};

struct MappingRun {
  store::Store& store;
  base::Clock& clock;
  Ownership& ownership;
  StreamSource& source;
  Invoker& invoker;
  base::Budget& batches;  // see kBatchBytesInAllMax
  MappingMetrics metrics;

  std::shared_ptr<const Mapping> config;                // replaced on update; its source never changes
  std::string last_result{kNothingProcessed};           // as stored, or about to be, by this process
  base::Signal changed;                                 // there is something new for the runner
  wire::PlatformMetrics* usage = nullptr;               // what CloudWatch is told; may be null
  MappingRights* rights = nullptr;                      // what is asked before reading; null: all is allowed
  base::Duration window_idle_wait = kWindowIdleWait;    // after a tumbling window's end
  CompiledFilter filter;                                // of config, for all shards
  std::unique_ptr<base::SeldomLog> discards = std::make_unique<base::SeldomLog>("a mapping discards records");
};

}  // namespace tidemill::engine
