#include "services/kinesis/on_demand.h"

#include <algorithm>
#include <cmath>

#include "services/kinesis/service.h"
#include "services/kinesis/stream_changes.h"

namespace tidemill::kinesis {
namespace {

constexpr std::chrono::seconds kMinute{60};
constexpr double kHeadroom = 2;

// For double of what came in a minute.
uint32_t shards_for(double bytes, double records) {
  constexpr auto kSeconds = static_cast<double>(kMinute.count());
  const double shards = kHeadroom * std::max(bytes / kSeconds / Throttle::kWriteBytes,
                                             records / kSeconds / Throttle::kWriteRecords);
  return static_cast<uint32_t>(std::min(std::ceil(shards), static_cast<double>(kOnDemandShardsMax)));
}

}  // namespace

std::optional<uint32_t> OnDemandLoad::note(const Stream& stream, size_t bytes, size_t records, base::Time now) {
  const std::lock_guard lock(mutex_);
  if (streams_.size() >= kStreamsMax) streams_.clear();
  const auto [found, is_new] = streams_.try_emplace(stream.id, Minute{.begin = now});
  Minute& minute = found->second;
  std::optional<uint32_t> wanted;
  if (now - minute.begin >= kMinute) {
    const uint32_t shards = shards_for(minute.bytes, minute.records);
    if (shards > stream.open.size()) wanted = shards;
    minute = {.begin = now};
  }
  minute.bytes += static_cast<double>(bytes);
  minute.records += static_cast<double>(records);
  return wanted;
}

Task<void> grow_on_demand(Service& service, StreamAddress address, uint32_t shards) {
  const base::Time now = service.clock().now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const StreamPtr current = co_await service.streams().find(txn, address);
    if (!current || !current->on_demand || current->status != Status::active) co_return;
    if (current->open.size() >= shards) co_return;
    Stream stream = *current;
    stream.pending = {.kind = PendingChange::Kind::reshard, .shard_count = shards};
    co_await begin_change(txn, stream, Status::updating, now);
    save_stream(txn, stream);
  });
}

}  // namespace tidemill::kinesis
