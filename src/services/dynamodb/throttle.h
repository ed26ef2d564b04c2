// Makes the throughput of tables real (`tidemill serve --throttle`): a token bucket for the reads and one for the
// writes of each table and of each global index, filled with its provisioned units per second, or its on-demand
// maximum, and holding up to 300 seconds of them, as AWS lets unused capacity burst.
//
// A request is let in while there is any capacity left, and pays what it consumed once that is known; so a large one
// can leave a debt, which those after it wait for. Kept in memory: a table starts with full buckets, also after a
// restart.
//
// The units that are consumed are counted whether that is so or not, for the metrics of tables.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "services/dynamodb/capacity.h"
#include "services/dynamodb/table.h"
#include "wire/error.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::dynamodb {

inline constexpr std::chrono::seconds kThrottleBurst{300};  // developer guide, "Burst capacity"

class Throttle {
 public:
  static constexpr size_t kBucketsMax = 200'000;  // that are kept; beyond, all start anew

  enum class Kind { read, write };

  // Disabled: everything is let in. `clock` and `usage`, which may be null, must outlive this.
  Throttle(base::Clock& clock, bool enabled, wire::PlatformMetrics* usage = nullptr)
      : clock_(clock), enabled_(enabled), usage_(usage) {}

  // Any thread.
  [[nodiscard]] bool enabled() const { return enabled_; }
  // Whether anybody wants to know what is consumed, as far as that is known without reading more.
  [[nodiscard]] bool counts() const { return enabled_ || usage_; }
  // Whether a request is let in: a read of the table, or of one of its indexes; a write, which all its global indexes
  // must have room for.
  [[nodiscard]] bool has_capacity(const Table& table, Kind kind, const Index* read_index = nullptr);
  // Throws ProvisionedThroughputExceededException, or ThrottlingException for an on-demand maximum, if it is not.
  void admit(const Table& table, Kind kind, const Index* read_index = nullptr);
  void charge(const Table& table, Kind kind, const ConsumedUnits& units);

 private:
  struct Bucket {
    double units = 0;
    base::Time filled;
  };

  // Of a table, or of a global index.
  struct Owner {
    const Table& table;
    const Index* index = nullptr;
  };

  static double rate_of(const Owner& owner, Kind kind);
  static wire::Error exceeded(const Owner& owner, Kind kind);
  // Filled up to now; nullptr if there is no limit. Under the mutex.
  Bucket* bucket(const Owner& owner, Kind kind);
  bool is_empty(const Owner& owner, Kind kind);
  void take(const Owner& owner, Kind kind, double units);
  // Whoever has no capacity left; nothing if the request is let in.
  std::optional<Owner> refuser(const Table& table, Kind kind, const Index* read_index);

  void measure(const Table& table, Kind kind, const ConsumedUnits& units);
  void measure_refusal(const Owner& owner, Kind kind);

  base::Clock& clock_;
  const bool enabled_;
  wire::PlatformMetrics* const usage_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;  // by table id, index number and kind
};

}  // namespace tidemill::dynamodb
