#include "store/rocksdb_database.h"

#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

#include "base/log.h"
#include "base/ordered.h"
#include "store/keys.h"
#include "store/log_check.h"
#include "store/log_keys.h"

namespace tidemill::store {

namespace {

constexpr size_t kMemtableBytes = 32 << 20;
constexpr size_t kAllMemtablesBytes = 96 << 20;
constexpr uint64_t kWriteAheadLogBytesMax = 128 << 20;  // bounds how much a start has to replay
constexpr int kOpenFilesMax = 512;
constexpr int kBackgroundJobs = 2;
constexpr double kBloomBitsPerKey = 10;
constexpr uint64_t kMetadataBlockBytes = 4 << 10;  // of a piece of index or filter
constexpr double kMemtableBloomRatio = 0.02;
constexpr size_t kBatchMemoryKept = 1 << 20;
constexpr const char* kLogsFamily = "logs";
// One step of a cursor passes so many erased keys at most: a tenth of a millisecond or two.
constexpr uint64_t kErasedKeysPerStep = 200;
// A file in which so many of so many neighbours are erasures is compacted soon: until then every read that comes through
// there passes them one by one.
constexpr size_t kErasureWindow = 4096;
constexpr size_t kErasuresToCompact = 2048;

rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }
std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

const std::string& last_version_key() {
  static const std::string key = std::string(1, static_cast<char>(KeySpace::meta)) + "version";
  return key;
}

rocksdb::DBOptions database_options(const RocksdbOptions& options, const BlockCache& cache, bool create) {
  rocksdb::DBOptions result;
  result.statistics = cache.statistics();
  if (options.env != nullptr) result.env = options.env;
  result.create_if_missing = create;
  result.create_missing_column_families = create;
  result.max_open_files = kOpenFilesMax;
  result.max_background_jobs = kBackgroundJobs;
  result.max_file_opening_threads = 1;  // sixteen for each family take longer to start than to open what there is
  result.db_write_buffer_size = kAllMemtablesBytes;
  result.max_total_wal_size = kWriteAheadLogBytesMax;
  // A torn record at the end of the log is what a crash leaves and was never acknowledged; damage before it is an
  // error, not an earlier end of the log.
  result.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  result.avoid_flush_during_recovery = true;  // a start costs no new files
  result.skip_stats_update_on_db_open = true;
  result.max_bgerror_resume_count = 0;  // a failed write is final until the next start
  // One thread writes.
  result.allow_concurrent_memtable_write = false;
  result.enable_write_thread_adaptive_yield = false;
  result.stats_dump_period_sec = 0;
  result.stats_persist_period_sec = 0;
  result.info_log_level = rocksdb::WARN_LEVEL;
  result.keep_log_file_num = 2;
  result.max_log_file_size = 1 << 20;
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
  // A read of what is not in the memtable does not search it.
  result.memtable_whole_key_filtering = true;
  result.memtable_prefix_bloom_size_ratio = kMemtableBloomRatio;
  result.compression = rocksdb::kLZ4Compression;
  result.table_properties_collector_factories.push_back(
      rocksdb::NewCompactOnDeletionCollectorFactory(kErasureWindow, kErasuresToCompact));
  return result;
}

std::string damaged(const RocksdbOptions& options, const std::string& reason) {
  return "the data directory " + options.directory.string() + " is damaged (" + reason +
         "): restore it from a backup or choose another with --data";
}

rocksdb::ReadOptions read_options(const rocksdb::Snapshot* snapshot) {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot;
  return options;
}

[[noreturn]] void throw_unreadable(const rocksdb::Status& status) {
  throw std::runtime_error("the store cannot read: " + status.ToString());
}

std::optional<std::string> read(const RocksdbDatabase& database, const rocksdb::ReadOptions& options,
                                std::string_view key) {
  std::optional<std::string> value(std::in_place);
  const auto status = database.db().Get(options, database.family_of(key), slice(key), &*value);
  if (status.ok()) return value;
  if (!status.IsNotFound()) throw_unreadable(status);
  return std::nullopt;
}

// RocksDB passes erased keys by itself, and all of them at once unless it is given a limit. With one its iterator fails
// where it is reached, and says at which key; the cursor calls that a gap and seeks that key to go on.
class RocksdbCursor final : public Cursor {
 public:
  RocksdbCursor(const RocksdbDatabase& database, const rocksdb::Snapshot* snapshot, Range range, Direction direction)
      : database_(database),
        snapshot_(snapshot),
        range_(std::move(range)),
        lower_(slice(range_.begin)),
        upper_(slice(range_.end)),
        forward_(direction == Direction::forward) {
    make_iterator();
    if (forward_) entry_->Seek(lower_);
    else entry_->SeekToLast();
    settle();
  }

  [[nodiscard]] At at() const override { return at_; }
  [[nodiscard]] std::string_view key() const override { return view(entry_->key()); }
  [[nodiscard]] std::string_view value() const override { return view(entry_->value()); }
  void next() override {
    if (at_ == At::gap) pass_gap();
    else if (forward_) entry_->Next();
    else entry_->Prev();
    settle();
  }

 private:
  void make_iterator() {
    auto options = read_options(snapshot_);
    options.iterate_lower_bound = &lower_;
    options.iterate_upper_bound = &upper_;
    options.max_skippable_internal_keys = erased_keys_max_;
    entry_.reset(database_.db().NewIterator(options, database_.family_of(range_.begin)));
  }

  void settle() {
    if (entry_->Valid()) {
      at_ = At::entry;
    } else if (entry_->status().IsIncomplete()) {
      at_ = At::gap;
    } else if (entry_->status().ok()) {
      at_ = At::end;
    } else {
      throw_unreadable(entry_->status());
    }
  }

  void pass_gap() {
    std::string key;
    if (const auto status = entry_->GetProperty("rocksdb.iterator.internal-key", &key); !status.ok()) {
      throw_unreadable(status);
    }
    // A single key may have been overwritten more often than that since the snapshot.
    if (key == gap_key_) {
      erased_keys_max_ *= 2;
      make_iterator();
    }
    gap_key_ = std::move(key);
    if (forward_) entry_->Seek(slice(gap_key_));
    else entry_->SeekForPrev(slice(gap_key_));
  }

  const RocksdbDatabase& database_;
  const rocksdb::Snapshot* const snapshot_;
  const Range range_;
  const rocksdb::Slice lower_;
  const rocksdb::Slice upper_;
  const bool forward_;
  uint64_t erased_keys_max_ = kErasedKeysPerStep;
  std::unique_ptr<rocksdb::Iterator> entry_;
  At at_ = At::end;
  std::string gap_key_;
};

class RocksdbView final : public View {
 public:
  RocksdbView(std::shared_ptr<RocksdbDatabase> database, Version version)
      : View(version), database_(std::move(database)), snapshot_(database_->db().GetSnapshot()) {}
  ~RocksdbView() override { database_->db().ReleaseSnapshot(snapshot_); }

  [[nodiscard]] std::optional<std::string> get(std::string_view key) const override {
    return read(*database_, read_options(snapshot_), key);
  }

  [[nodiscard]] std::unique_ptr<Cursor> open(Range range, Direction direction) const override {
    return std::make_unique<RocksdbCursor>(*database_, snapshot_, std::move(range), direction);
  }

 private:
  const std::shared_ptr<RocksdbDatabase> database_;
  const rocksdb::Snapshot* const snapshot_;
};

}  // namespace

RocksdbDatabase::RocksdbDatabase(const RocksdbOptions& options)
    : directory_(options.directory), cache_(options.cache_bytes) {
  try {
    if (const auto damage = find_log_damage(directory_.database_path())) throw OpenError(damaged(options, *damage));
    open(options);
    load_last_version();
    if (!directory_.is_initialized()) {
      // No acknowledged commit can be older than the FORMAT file.
      if (last_version_ != Version()) throw OpenError(damaged(options, "its file FORMAT is missing"));
      directory_.mark_initialized();
    }
  } catch (const OpenError&) {
    close();
    throw;
  } catch (const std::exception& error) {
    close();
    throw OpenError(damaged(options, error.what()));
  }
}

RocksdbDatabase::~RocksdbDatabase() { close(); }

void RocksdbDatabase::open(const RocksdbOptions& options) {
  const bool create = !directory_.is_initialized();
  const std::vector<rocksdb::ColumnFamilyDescriptor> families = {
      {rocksdb::kDefaultColumnFamilyName, family_options(cache_)}, {kLogsFamily, family_options(cache_)}};
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  const auto try_open = [&] {
    return rocksdb::DB::Open(database_options(options, cache_, create), directory_.database_path().string(), families,
                             &handles, &db);
  };
  auto status = try_open();
  if (status.IsCorruption() && cut_torn_ends(directory_.database_path())) {
    base::log_warning("store: the last commit before a crash was never complete, it is dropped",
                      {{"reason", status.ToString()}});
    status = try_open();
  }
  if (status.IsNoSpace()) {
    throw OpenError("the disk of the data directory " + options.directory.string() + " is full: make room on it");
  }
  if (!status.ok()) throw OpenError(damaged(options, status.ToString()));
  db_.reset(db);
  main_ = handles[0];
  logs_ = handles[1];
}

void RocksdbDatabase::close() {
  if (!db_) return;
  for (auto* family : {main_, logs_}) (void)db_->DestroyColumnFamilyHandle(family);
  if (const auto status = db_->Close(); !status.ok()) {
    base::log_warning("store: closing failed", {{"reason", status.ToString()}});
  }
  db_.reset();
}

void RocksdbDatabase::load_last_version() {
  std::string value;
  const auto status = db_->Get(rocksdb::ReadOptions(), main_, last_version_key(), &value);
  if (status.IsNotFound()) return;
  if (!status.ok()) throw std::runtime_error(status.ToString());
  base::OrderedReader reader(value);
  last_version_.value = reader.u64();
  if (!reader.ok()) throw std::runtime_error("the last version is not readable");
}

rocksdb::ColumnFamilyHandle* RocksdbDatabase::family_of(std::string_view key) const {
  return is_log_key(key) ? logs_ : main_;
}

std::optional<std::string> RocksdbDatabase::get_latest(std::string_view key) const {
  return read(*this, rocksdb::ReadOptions(), key);
}

std::shared_ptr<const View> make_rocksdb_view(std::shared_ptr<RocksdbDatabase> database, Version version) {
  return std::make_shared<RocksdbView>(std::move(database), version);
}

void RocksdbBatch::put(std::string_view key, std::string_view value) {
  (void)batch_.Put(database_.family_of(key), slice(key), slice(value));
}

void RocksdbBatch::erase(std::string_view key) { (void)batch_.Delete(database_.family_of(key), slice(key)); }

void RocksdbBatch::erase_range(std::string_view begin, std::string_view end) {
  (void)batch_.DeleteRange(database_.family_of(begin), slice(begin), slice(end));
}

rocksdb::Status RocksdbBatch::write_synced(Version last_version) {
  std::string value;
  base::append_u64(value, last_version.value);
  put(last_version_key(), value);
  rocksdb::WriteOptions options;
  options.sync = true;
  const auto status = database_.db().Write(options, &batch_);
  if (batch_.GetDataSize() > kBatchMemoryKept) {
    batch_ = rocksdb::WriteBatch();
  } else {
    batch_.Clear();
  }
  return status;
}

}  // namespace tidemill::store
