#include "services/kinesis/throttle.h"

#include <algorithm>

#include "base/text.h"
#include "services/kinesis/errors.h"

namespace tidemill::kinesis {

void Throttle::Bucket::fill(double rate, base::Time now) {
  const double seconds = std::chrono::duration<double>(now - filled).count();
  left = std::min(left + std::max(seconds, 0.0) * rate, rate);
  filled = now;
}

Throttle::Buckets& Throttle::buckets(const Stream& stream, const Shard& shard) {
  if (shards_.size() >= kShardsMax) shards_.clear();
  const base::Time now = clock_.now();
  // A new one was last filled in 1970, and so is full.
  Buckets& found = shards_[shard_log(stream.id, shard.number).bytes];
  found.write_bytes.fill(kWriteBytes, now);
  found.write_records.fill(kWriteRecords, now);
  found.read_bytes.fill(kReadBytes, now);
  found.read_calls.fill(kReadCalls, now);
  return found;
}

bool Throttle::admit_write(const Stream& stream, const Shard& shard, size_t bytes) {
  if (!enabled_) return true;
  const std::lock_guard lock(mutex_);
  Buckets& found = buckets(stream, shard);
  if (found.write_bytes.left <= 0 || found.write_records.left < 1) return false;
  found.write_bytes.left -= static_cast<double>(bytes);
  found.write_records.left -= 1;
  return true;
}

void Throttle::admit_read(const Stream& stream, const Shard& shard) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  Buckets& found = buckets(stream, shard);
  if (found.read_bytes.left <= 0 || found.read_calls.left < 1) throw rate_exceeded(stream, shard);
  found.read_calls.left -= 1;
}

void Throttle::charge_read(const Stream& stream, const Shard& shard, size_t bytes) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  buckets(stream, shard).read_bytes.left -= static_cast<double>(bytes);
}

wire::Error rate_exceeded(const Stream& stream, const Shard& shard) {
  return errors::provisioned_throughput_exceeded_exception(base::cat("Rate exceeded for shard ", shard.id(),
                                                                     " in stream ", stream.address.name,
                                                                     " under account ", stream.address.account, "."));
}

}  // namespace tidemill::kinesis
