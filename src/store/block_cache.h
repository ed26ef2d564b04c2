// The one cache of blocks read from the embedded database's files, and what it tells of itself. Inside store/ only.
//
// What it holds must be small beside a shard of it: RocksDB keeps a cache in shards, and a block larger than its shard is
// read, checked and decompressed again for each look-up. Therefore few shards here, and index and filter in pieces of
// some kilobytes (rocksdb_database.cc): with whole ones, which are megabytes in a compacted file, a table of two million
// items answered 2,000 random gets a second instead of 70,000.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/statistics.h>

#include <cstdint>
#include <memory>

namespace tidemill::store {

class BlockCache {
 public:
  // `bytes`: how much it may hold. Index and filter pieces count.
  explicit BlockCache(size_t bytes);

  [[nodiscard]] const std::shared_ptr<rocksdb::Cache>& cache() const { return cache_; }
  // What counts hits and misses; for DBOptions::statistics.
  [[nodiscard]] const std::shared_ptr<rocksdb::Statistics>& statistics() const { return statistics_; }

  [[nodiscard]] uint64_t hits() const;
  [[nodiscard]] uint64_t misses() const;
  [[nodiscard]] size_t bytes_used() const { return cache_->GetUsage(); }
  [[nodiscard]] size_t bytes_max() const { return cache_->GetCapacity(); }

 private:
  std::shared_ptr<rocksdb::Cache> cache_;
  std::shared_ptr<rocksdb::Statistics> statistics_;
};

}  // namespace tidemill::store
