#include "services/kinesis/stream_metrics.h"

#include <algorithm>

namespace tidemill::kinesis {
namespace {

using wire::PlatformMetric;

constexpr PlatformMetric of_stream(std::string_view name, std::string_view unit) {
  return {"AWS/Kinesis", name, unit, "StreamName"};
}
constexpr PlatformMetric of_shard(std::string_view name, std::string_view unit) {
  return {"AWS/Kinesis", name, unit, "StreamName", "ShardId"};
}
constexpr PlatformMetric of_consumer(std::string_view name, std::string_view unit) {
  return {"AWS/Kinesis", name, unit, "StreamName", "ConsumerName"};
}

constexpr PlatformMetric kIncomingBytes = of_stream("IncomingBytes", "Bytes");
constexpr PlatformMetric kIncomingRecords = of_stream("IncomingRecords", "Count");
constexpr PlatformMetric kWriteExceeded = of_stream("WriteProvisionedThroughputExceeded", "Count");
constexpr PlatformMetric kReadExceeded = of_stream("ReadProvisionedThroughputExceeded", "Count");

constexpr PlatformMetric kPutBytes = of_stream("PutRecord.Bytes", "Bytes");
constexpr PlatformMetric kPutLatency = of_stream("PutRecord.Latency", "Milliseconds");
constexpr PlatformMetric kPutSuccess = of_stream("PutRecord.Success", "Count");

constexpr PlatformMetric kBatchBytes = of_stream("PutRecords.Bytes", "Bytes");
constexpr PlatformMetric kBatchLatency = of_stream("PutRecords.Latency", "Milliseconds");
constexpr PlatformMetric kBatchSuccess = of_stream("PutRecords.Success", "Count");
constexpr PlatformMetric kBatchTotal = of_stream("PutRecords.TotalRecords", "Count");
constexpr PlatformMetric kBatchSuccessful = of_stream("PutRecords.SuccessfulRecords", "Count");
constexpr PlatformMetric kBatchFailed = of_stream("PutRecords.FailedRecords", "Count");
constexpr PlatformMetric kBatchThrottled = of_stream("PutRecords.ThrottledRecords", "Count");

constexpr PlatformMetric kGetBytes = of_stream("GetRecords.Bytes", "Bytes");
constexpr PlatformMetric kGetRecords = of_stream("GetRecords.Records", "Count");
constexpr PlatformMetric kGetLatency = of_stream("GetRecords.Latency", "Milliseconds");
constexpr PlatformMetric kGetSuccess = of_stream("GetRecords.Success", "Count");
constexpr PlatformMetric kGetAge = of_stream("GetRecords.IteratorAgeMilliseconds", "Milliseconds");

constexpr PlatformMetric kShardIncomingBytes = of_shard("IncomingBytes", "Bytes");
constexpr PlatformMetric kShardIncomingRecords = of_shard("IncomingRecords", "Count");
constexpr PlatformMetric kShardOutgoingBytes = of_shard("OutgoingBytes", "Bytes");
constexpr PlatformMetric kShardOutgoingRecords = of_shard("OutgoingRecords", "Count");
constexpr PlatformMetric kShardAge = of_shard("IteratorAgeMilliseconds", "Milliseconds");
constexpr PlatformMetric kShardWriteExceeded = of_shard("WriteProvisionedThroughputExceeded", "Count");
constexpr PlatformMetric kShardReadExceeded = of_shard("ReadProvisionedThroughputExceeded", "Count");

constexpr PlatformMetric kEventBytes = of_consumer("SubscribeToShardEvent.Bytes", "Bytes");
constexpr PlatformMetric kEventRecords = of_consumer("SubscribeToShardEvent.Records", "Count");
constexpr PlatformMetric kEventSuccess = of_consumer("SubscribeToShardEvent.Success", "Count");
constexpr PlatformMetric kEventBehind = of_consumer("SubscribeToShardEvent.MillisBehindLatest", "Milliseconds");

}  // namespace

StreamMeter::StreamMeter(wire::PlatformMetrics* metrics, const StreamAddress& address)
    : metrics_(metrics), address_(address) {
  if (metrics_) begun_ = std::chrono::steady_clock::now();
}

double StreamMeter::milliseconds() const {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun_).count();
}

void StreamMeter::add(const PlatformMetric& metric, double value, std::string_view second) const {
  metrics_->add(metric, address_.account, address_.region, address_.name, value, 1, second);
}

void StreamMeter::add_of_shard(const Stream& stream, const Shard& shard, const PlatformMetric& metric,
                               double value) const {
  if (std::ranges::find(stream.metrics, metric.name) != stream.metrics.end()) add(metric, value, shard.id());
}

void StreamMeter::wrote(bool is_batch, const Stream& stream, const std::vector<ShardWrites>& writes) const {
  if (!metrics_) return;
  ShardWrites all;
  for (const ShardWrites& one : writes) {
    all.bytes += one.bytes;
    all.records += one.records;
    all.throttled += one.throttled;
    if (stream.metrics.empty()) continue;
    add_of_shard(stream, *one.shard, kShardIncomingBytes, one.bytes);
    add_of_shard(stream, *one.shard, kShardIncomingRecords, one.records);
    add_of_shard(stream, *one.shard, kShardWriteExceeded, one.throttled);
  }
  add(kIncomingBytes, all.bytes);
  add(kIncomingRecords, all.records);
  add(kWriteExceeded, all.throttled);
  add(is_batch ? kBatchBytes : kPutBytes, all.bytes);
  add(is_batch ? kBatchLatency : kPutLatency, milliseconds());
  add(is_batch ? kBatchSuccess : kPutSuccess, all.records > 0 ? 1 : 0);
  if (!is_batch) return;
  add(kBatchTotal, all.records + all.throttled);
  add(kBatchSuccessful, all.records);
  add(kBatchThrottled, all.throttled);
  add(kBatchFailed, 0);  // records that fail for other reasons: then the whole request does
}

void StreamMeter::read(const Stream& stream, const Shard& shard, double bytes, double records, double behind_ms) const {
  if (!metrics_) return;
  add(kGetBytes, bytes);
  add(kGetRecords, records);
  add(kGetLatency, milliseconds());
  add(kGetSuccess, 1);
  add(kGetAge, behind_ms);
  add(kReadExceeded, 0);
  if (stream.metrics.empty()) return;
  add_of_shard(stream, shard, kShardOutgoingBytes, bytes);
  add_of_shard(stream, shard, kShardOutgoingRecords, records);
  add_of_shard(stream, shard, kShardAge, behind_ms);
}

void StreamMeter::read_throttled(const Stream& stream, const Shard& shard) const {
  if (!metrics_) return;
  add(kReadExceeded, 1);
  add(kGetSuccess, 0);
  add_of_shard(stream, shard, kShardReadExceeded, 1);
}

void measure_event(wire::PlatformMetrics* metrics, const StreamAddress& address, std::string_view consumer, double bytes,
                   double records, double behind_ms) {
  if (!metrics) return;
  const auto add = [&](const PlatformMetric& metric, double value) {
    metrics->add(metric, address.account, address.region, address.name, value, 1, consumer);
  };
  add(kEventBytes, bytes);
  add(kEventRecords, records);
  add(kEventSuccess, 1);
  add(kEventBehind, behind_ms);
}

}  // namespace tidemill::kinesis
