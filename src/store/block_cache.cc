#include "store/block_cache.h"

#include <algorithm>
#include <bit>

namespace tidemill::store {

namespace {

// A shard is locked by each look-up, so two cores want a few; it must hold many blocks, so no more than that.
constexpr size_t kShardBytesMin = 16 << 20;
constexpr size_t kShardsMax = 16;
// What index and filter pieces may take before they compete with the rest: a get needs them both.
constexpr double kHighPriorityShare = 0.5;

int shard_bits(size_t bytes) {
  const size_t shards = std::clamp<size_t>(bytes / kShardBytesMin, 1, kShardsMax);
  return static_cast<int>(std::bit_width(shards)) - 1;
}

}  // namespace

BlockCache::BlockCache(size_t bytes)
    : cache_(rocksdb::NewLRUCache(bytes, shard_bits(bytes), /*strict_capacity_limit=*/false, kHighPriorityShare)),
      statistics_(rocksdb::CreateDBStatistics()) {
  statistics_->set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers);
}

uint64_t BlockCache::hits() const { return statistics_->getTickerCount(rocksdb::BLOCK_CACHE_HIT); }
uint64_t BlockCache::misses() const { return statistics_->getTickerCount(rocksdb::BLOCK_CACHE_MISS); }

}  // namespace tidemill::store
