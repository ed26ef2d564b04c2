#include "store/rocksdb_database.h"

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

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
constexpr double kMemtableBloomRatio = 0.02;
constexpr size_t kBatchMemoryKept = 1 << 20;
constexpr const char* kLogsFamily = "logs";

rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }
std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

const std::string& last_version_key() {
  static const std::string key = std::string(1, static_cast<char>(KeySpace::meta)) + "version";
  return key;
}

rocksdb::DBOptions database_options(const RocksdbOptions& options, bool create) {
  rocksdb::DBOptions result;
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

rocksdb::ColumnFamilyOptions family_options(const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kBloomBitsPerKey));
  table.cache_index_and_filter_blocks = true;
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
  return result;
}

std::string damaged(const RocksdbOptions& options, const std::string& reason) {
  return "the data directory " + options.directory.string() + " is damaged (" + reason +
         "): restore it from a backup or choose another with --data";
}

std::optional<std::string> read(const RocksdbDatabase& database, const rocksdb::ReadOptions& options,
                                std::string_view key) {
  std::optional<std::string> value(std::in_place);
  const auto status = database.db().Get(options, database.family_of(key), slice(key), &*value);
  if (status.ok()) return value;
  if (!status.IsNotFound()) throw std::runtime_error("the store cannot read: " + status.ToString());
  return std::nullopt;
}

class RocksdbView final : public View {
 public:
  RocksdbView(std::shared_ptr<RocksdbDatabase> database, Version version)
      : View(version), database_(std::move(database)), snapshot_(database_->db().GetSnapshot()) {}
  ~RocksdbView() override { database_->db().ReleaseSnapshot(snapshot_); }

  [[nodiscard]] std::optional<std::string> get(std::string_view key) const override {
    return read(*database_, read_options(), key);
  }

  void scan(std::string_view begin, std::string_view end, Direction direction,
            const EntryVisitor& visit) const override {
    const rocksdb::Slice lower = slice(begin);
    const rocksdb::Slice upper = slice(end);
    auto options = read_options();
    options.iterate_lower_bound = &lower;
    options.iterate_upper_bound = &upper;
    const std::unique_ptr<rocksdb::Iterator> entry(
        database_->db().NewIterator(options, database_->family_of(begin)));
    const bool forward = direction == Direction::forward;
    if (forward) {
      entry->Seek(lower);
    } else {
      entry->SeekToLast();
    }
    for (; entry->Valid() && visit(view(entry->key()), view(entry->value())); forward ? entry->Next() : entry->Prev()) {
    }
    if (!entry->status().ok()) throw std::runtime_error("the store cannot read: " + entry->status().ToString());
  }

 private:
  [[nodiscard]] rocksdb::ReadOptions read_options() const {
    rocksdb::ReadOptions options;
    options.snapshot = snapshot_;
    return options;
  }

  const std::shared_ptr<RocksdbDatabase> database_;
  const rocksdb::Snapshot* const snapshot_;
};

}  // namespace

RocksdbDatabase::RocksdbDatabase(const RocksdbOptions& options) : directory_(options.directory) {
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
  const auto cache = rocksdb::NewLRUCache(options.block_cache_bytes);
  const std::vector<rocksdb::ColumnFamilyDescriptor> families = {
      {rocksdb::kDefaultColumnFamilyName, family_options(cache)}, {kLogsFamily, family_options(cache)}};
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  const auto try_open = [&] {
    return rocksdb::DB::Open(database_options(options, create), directory_.database_path().string(), families,
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
