#include "store/rocksdb_options.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

#include "store/item_groups.h"
#include "store/keys.h"
#include "store/rocksdb_log.h"

namespace tidemill::store {

namespace {

constexpr size_t kMemtableBytes = 32 << 20;
constexpr size_t kAllMemtablesBytes = 96 << 20;
constexpr uint64_t kWriteAheadLogBytesMax = 128 << 20;  // bounds how much a start has to replay
constexpr int kOpenFilesMax = 512;
constexpr int kBackgroundJobs = 2;
constexpr double kBloomBitsPerKey = 10;
constexpr uint64_t kMetadataBlockBytes = 4 << 10;  // of a piece of index or filter
// A file in which so many of so many neighbours are erasures is compacted soon: until then every read that comes through
// there passes them one by one.
constexpr size_t kErasureWindow = 4096;
constexpr size_t kErasuresToCompact = 2048;

// What filters hold beside whole keys: the groups of items. A file whose filter does not know the group of a range has
// nothing of it.
class ItemGroups final : public rocksdb::SliceTransform {
 public:
  // Filters are only asked by the transform of the name that made them.
  [[nodiscard]] const char* Name() const override { return "tidemill.ItemGroups"; }
  [[nodiscard]] rocksdb::Slice Transform(const rocksdb::Slice& key) const override { return {key.data(), kItemGroupBytes}; }
  [[nodiscard]] bool InDomain(const rocksdb::Slice& key) const override {
    return key.size() >= kItemGroupBytes && key[0] == static_cast<char>(KeySpace::item);
  }
};

const std::shared_ptr<const ItemGroups>& item_groups() {
  static const auto groups = std::make_shared<const ItemGroups>();
  return groups;
}

}  // namespace

rocksdb::DBOptions database_options(rocksdb::Env* env, const BlockCache& cache, bool create) {
  rocksdb::DBOptions result;
  result.statistics = cache.statistics();
  result.env = env;
  result.create_if_missing = create;
  result.create_missing_column_families = create;
  result.max_open_files = kOpenFilesMax;
  result.max_background_jobs = kBackgroundJobs;
  result.max_file_opening_threads = 1;  // sixteen for each family take longer to start than to open what there is
  result.db_write_buffer_size = kAllMemtablesBytes;
  result.max_total_wal_size = kWriteAheadLogBytesMax;
  // Torn ends are cut off before (log_check.h); what is not readable then is an error, not an earlier end of the log.
  result.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  result.avoid_flush_during_recovery = true;  // a start costs no new files
  result.skip_stats_update_on_db_open = true;
  result.max_bgerror_resume_count = 0;  // a failed write is final until the next start
  // One thread writes.
  result.allow_concurrent_memtable_write = false;
  result.enable_write_thread_adaptive_yield = false;
  result.stats_dump_period_sec = 0;
  result.stats_persist_period_sec = 0;
  result.info_log = std::make_shared<RocksdbLog>();
  return result;
}

rocksdb::ColumnFamilyOptions family_options(const BlockCache& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache.cache();
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kBloomBitsPerKey));
  // Index and filter lie in the cache in pieces; only what leads to the pieces stays in memory for each open file.
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.metadata_block_size = kMetadataBlockBytes;
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  table.pin_top_level_index_and_filter = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
  table.format_version = 5;
  rocksdb::ColumnFamilyOptions result;
  result.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  result.write_buffer_size = kMemtableBytes;
  result.level_compaction_dynamic_level_bytes = true;
  result.prefix_extractor = item_groups();
  // What was just written is merged soon, and compressed then.
  result.compression_per_level = {rocksdb::kNoCompression, rocksdb::kLZ4Compression};
  result.table_properties_collector_factories.push_back(
      rocksdb::NewCompactOnDeletionCollectorFactory(kErasureWindow, kErasuresToCompact));
  return result;
}

bool in_one_group(const rocksdb::Slice& begin, const rocksdb::Slice& end) {
  const ItemGroups& groups = *item_groups();
  return groups.InDomain(begin) && groups.InDomain(end) && groups.Transform(begin) == groups.Transform(end);
}

}  // namespace tidemill::store
