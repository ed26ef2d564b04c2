// Makes the throughput of shards real (`tidemill serve --throttle`): 1 MiB and 1000 records a second of writes; 2 MiB
// and 5 GetRecords a second of reads (developer guide, "Quotas and limits"). A token bucket each, which holds a
// second's worth. A request is let in while there is any left and pays what it took; so a large one leaves a debt for
// the next: an answer of 10 MiB keeps others waiting for about five seconds, as on AWS.
//
// Kept in memory: all start full, also after a restart.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "services/kinesis/stream.h"
#include "wire/error.h"

namespace tidemill::kinesis {

class Throttle {
 public:
  static constexpr double kWriteBytes = 1 << 20;  // a second, as all of these
  static constexpr double kWriteRecords = 1'000;
  static constexpr double kReadBytes = 2 << 20;
  static constexpr double kReadCalls = 5;
  static constexpr size_t kShardsMax = 100'000;  // that are kept; beyond, all start anew

  // Disabled: everything is let in, and nothing is counted. `clock` must outlive this.
  Throttle(base::Clock& clock, bool enabled) : clock_(clock), enabled_(enabled) {}

  // Any thread.
  [[nodiscard]] bool enabled() const { return enabled_; }
  // Whether a record of so many bytes is let in; if so, it has paid.
  [[nodiscard]] bool admit_write(const Stream& stream, const Shard& shard, size_t bytes);
  // Throws ProvisionedThroughputExceededException if a read is not let in.
  void admit_read(const Stream& stream, const Shard& shard);
  void charge_read(const Stream& stream, const Shard& shard, size_t bytes);

 private:
  struct Bucket {
    double left = 0;
    base::Time filled;
    // Filled up to now.
    void fill(double rate, base::Time now);
  };
  struct Buckets {
    Bucket write_bytes, write_records, read_bytes, read_calls;
  };
  Buckets& buckets(const Stream& stream, const Shard& shard);  // under the mutex

  base::Clock& clock_;
  const bool enabled_;
  std::mutex mutex_;
  std::unordered_map<std::string, Buckets> shards_;  // by the shard's log
};

// "Rate exceeded for shard …"
[[nodiscard]] wire::Error rate_exceeded(const Stream& stream, const Shard& shard);

}  // namespace tidemill::kinesis
