// What the pollers of one mapping's shards share: the newest configuration, the outcome they report, and the world
// they work in. Everything on one executor.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "engine/invoker.h"
#include "engine/mappings/mapping.h"
#include "engine/mappings/record_filter.h"
#include "engine/mappings/stream_source.h"
#include "engine/mappings/tumbling_window.h"
#include "engine/ownership.h"
#include "store/store.h"

namespace tidemill::wire {
class PlatformMetrics;
}

namespace tidemill::engine {

// Bounds the memory of records that are read before their turn, over all mappings. Without a grant a poller reads its
// next batch only when the current one is done.
class ReadAheadBudget {
 public:
  static constexpr size_t kBytesMax = 64 * 1024 * 1024;

  class [[nodiscard]] Grant {
   public:
    Grant() = default;
    Grant(ReadAheadBudget* budget, size_t bytes) : budget_(budget), bytes_(bytes) {}
    Grant(Grant&& other) noexcept : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
    Grant& operator=(Grant&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Grant() { shrink(0); }
    explicit operator bool() const { return budget_ != nullptr; }
    void shrink(size_t bytes) {
      if (budget_ == nullptr || bytes >= bytes_) return;
      budget_->used_ -= bytes_ - bytes;
      bytes_ = bytes;
    }

   private:
    ReadAheadBudget* budget_ = nullptr;
    size_t bytes_ = 0;
  };

  // Room for `bytes`, or an empty grant.
  Grant grant(size_t bytes) {
    if (used_ + bytes > kBytesMax) return {};
    used_ += bytes;
    return Grant(this, bytes);
  }

 private:
  size_t used_ = 0;
};

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
  ReadAheadBudget& read_ahead;
  MappingMetrics metrics;

  std::shared_ptr<const Mapping> config;                // replaced on update; its source never changes
  std::string last_result{kNothingProcessed};           // as stored, or about to be, by this process
  base::Signal changed;                                 // there is something new for the runner
  wire::PlatformMetrics* usage = nullptr;               // what CloudWatch is told; may be null
  base::Duration window_idle_wait = kWindowIdleWait;    // after a tumbling window's end
  CompiledFilter filter;                                // of config, for all shards
};

}  // namespace tidemill::engine
