// The metrics of streams under AWS's names, and those of shards where enhanced monitoring is on. Developer Guide,
// "Monitor the Amazon Kinesis Data Streams service with Amazon CloudWatch".
#pragma once

#include <chrono>

#include "services/kinesis/stream.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::kinesis {

// What became of the records that a request puts on one shard.
struct ShardWrites {
  const Shard* shard = nullptr;
  double bytes = 0;
  double records = 0;
  double throttled = 0;
};

// Measures one request; lives as long as it.
class StreamMeter {
 public:
  StreamMeter(wire::PlatformMetrics* metrics, const StreamAddress& address);

  // PutRecord and PutRecords, once it is durable.
  void wrote(bool is_batch, const Stream& stream, const std::vector<ShardWrites>& writes) const;
  void read(const Stream& stream, const Shard& shard, double bytes, double records, double behind_ms) const;
  void read_throttled(const Stream& stream, const Shard& shard) const;

 private:
  void add(const wire::PlatformMetric& metric, double value, std::string_view second = {}) const;
  // A metric of a shard, if the stream's monitoring has it.
  void add_of_shard(const Stream& stream, const Shard& shard, const wire::PlatformMetric& metric, double value) const;
  [[nodiscard]] double milliseconds() const;

  wire::PlatformMetrics* metrics_;
  const StreamAddress& address_;
  std::chrono::steady_clock::time_point begun_;
};

// An event that went to a consumer.
void measure_event(wire::PlatformMetrics* metrics, const StreamAddress& address, std::string_view consumer, double bytes,
                   double records, double behind_ms);

}  // namespace tidemill::kinesis
