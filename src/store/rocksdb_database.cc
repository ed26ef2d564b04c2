#include "store/rocksdb_database.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/utilities/checkpoint.h>

#include "base/file.h"
#include "base/log.h"
#include "base/ordered.h"
#include "base/text.h"
#include "store/indexed_memtable.h"
#include "store/keys.h"
#include "store/log_check.h"
#include "store/log_keys.h"
#include "store/rocksdb_options.h"
#include "store/rocksdb_checksum.h"

namespace tidemill::store {

namespace {

constexpr size_t kBatchMemoryKept = 1 << 20;
constexpr size_t kEntryHeadBytes = 16;  // in a batch, at most
constexpr const char* kLogsFamily = "logs";
constexpr const char* kTableSuffix = ".sst";
constexpr const char* kDiskIsFull = "the disk is full";
constexpr const char* kNoMemory = "there is no memory left";
// With less room the next flush would fail at once.
constexpr size_t kRoomBytes = 8 << 20;
constexpr size_t kProbeBytes = 64 << 10;
constexpr const char* kRoomFile = "ROOM";
// One step of a cursor passes so many erased keys at most: a tenth of a millisecond or two.
constexpr uint64_t kErasedKeysPerStep = 200;

rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }
std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

const std::string& last_version_key() {
  static const std::string key = std::string(1, static_cast<char>(KeySpace::meta)) + "version";
  return key;
}

rocksdb::ReadOptions read_options(const rocksdb::Snapshot* snapshot) {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot;
  options.total_order_seek = true;
  return options;
}

std::optional<std::string> read(const RocksdbDatabase& database, const rocksdb::ReadOptions& options,
                                std::string_view key) {
  std::optional<std::string> value(std::in_place);
  const auto status = database.db().Get(options, database.family_of(key), slice(key), &*value);
  if (status.ok()) return value;
  if (!status.IsNotFound()) throw Unreadable(status);
  return std::nullopt;
}

std::string what_is_lacking(const std::error_code& error) {
  if (error == std::errc::no_space_on_device) return kDiskIsFull;
  if (error == std::error_code(EDQUOT, std::generic_category())) return "the disk's quota is used up";
  if (error == std::errc::file_too_large) return "a file may not become larger";
  if (error == std::errc::too_many_files_open || error == std::errc::too_many_files_open_in_system) {
    return "too many files are open";
  }
  if (error == std::errc::not_enough_memory) return kNoMemory;
  if (error == std::errc::resource_unavailable_try_again) return "no more threads can be started";
  return "";
}

// Of a view: what could be read a moment later is no failure of the store's.
[[noreturn]] void throw_unreadable(const rocksdb::Status& status) {
  if (const std::string lacking = store::what_is_lacking(status); !lacking.empty()) {
    throw StorePaused(lacking + ": it cannot be read for now");
  }
  throw Unreadable(status);
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
    // Backwards RocksDB's partitioned filters may miss what stands at the end of a partition.
    options.total_order_seek = !(forward_ && in_one_group(lower_, upper_));
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
  RocksdbView(std::shared_ptr<RocksdbDatabase> database, Version version, std::shared_ptr<const RecentWrites> recent)
      : View(version, std::move(recent)), database_(std::move(database)), snapshot_(database_->db().GetSnapshot()) {}
  ~RocksdbView() override { database_->db().ReleaseSnapshot(snapshot_); }

  [[nodiscard]] std::optional<std::string> get(std::string_view key) const override {
    try {
      return read(*database_, read_options(snapshot_), key);
    } catch (const Unreadable& error) {
      throw_unreadable(error.status());
    }
  }

  [[nodiscard]] std::unique_ptr<Cursor> open(Range range, Direction direction) const override {
    return std::make_unique<RocksdbCursor>(*database_, snapshot_, std::move(range), direction);
  }

 private:
  const std::shared_ptr<RocksdbDatabase> database_;
  const rocksdb::Snapshot* const snapshot_;
};

}  // namespace

// Of most errors RocksDB keeps the machine's text only, and gives it at times as an error of another kind.
std::string what_is_lacking(const rocksdb::Status& status) {
  if (status.ok()) return "";
  if (status.IsNoSpace()) return kDiskIsFull;
  const std::string text = status.ToString();
  for (const int error : {ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE, ENOMEM}) {
    if (text.find(std::strerror(error)) != std::string::npos) {
      return what_is_lacking(std::error_code(error, std::generic_category()));
    }
  }
  return "";
}

RocksdbDatabase::RocksdbDatabase(const RocksdbOptions& options)
    : RocksdbDatabase(options, std::make_shared<DataDirectory>(options.directory), Use::write) {}

RocksdbDatabase::RocksdbDatabase(const RocksdbOptions& options, std::shared_ptr<DataDirectory> directory, Use use)
    : use_(use), options_(options), directory_(std::move(directory)), cache_(options.cache_bytes) {
  try {
    open_and_check();
  } catch (const OpenError&) {
    close();
    throw;
  } catch (const std::bad_alloc&) {
    close();
    throw_no_room(kNoMemory);
  } catch (const std::system_error& error) {  // of a file, or of a thread
    close();
    if (const std::string lacking = what_is_lacking(error.code()); !lacking.empty()) throw_no_room(lacking);
    throw OpenError(base::cat("the data directory ", options_.directory.native(), " cannot be used: ", error.what()));
  } catch (const std::exception& error) {
    close();
    throw OpenError(damaged(error.what()));
  }
}

std::shared_ptr<RocksdbDatabase> RocksdbDatabase::open_anew(RocksdbDatabase& given_up) {
  // Nothing of it is at work any more, and nothing that somebody still does through it reaches the files.
  rocksdb::CancelAllBackgroundWork(given_up.db_.get(), true);
  given_up.files_->fence();
  return std::shared_ptr<RocksdbDatabase>(new RocksdbDatabase(given_up.options_, given_up.directory_, Use::write));
}

std::shared_ptr<RocksdbDatabase> RocksdbDatabase::open_to_read(const RocksdbOptions& options,
                                                               std::shared_ptr<DataDirectory> directory) {
  return std::shared_ptr<RocksdbDatabase>(new RocksdbDatabase(options, std::move(directory), Use::read));
}

RocksdbDatabase::~RocksdbDatabase() { close(); }

std::string RocksdbDatabase::damaged(const std::string& reason) const {
  return base::cat("the data directory ", options_.directory.native(), " is damaged (", reason,
                   "): restore it from a backup or choose another with --data");
}

void RocksdbDatabase::throw_no_room(const std::string& lacking) const {
  throw NoRoom(base::cat("cannot open the data directory ", options_.directory.native(), ": ", lacking,
                         "; make room and start again"));
}

// RocksDB aborts the process if it finds the disk full while it opens.
void RocksdbDatabase::require_room() const {
  const std::filesystem::path path = directory_->path() / kRoomFile;
  const bool is_full = std::filesystem::space(directory_->path()).available < kRoomBytes;
  const base::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const std::string probe(kProbeBytes, '\0');
  const bool fits = file.is_open() && ::write(file.fd(), probe.data(), probe.size()) == static_cast<ssize_t>(probe.size());
  const int error = fits ? 0 : errno;
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  if (is_full) throw_no_room(kDiskIsFull);
  if (!fits) throw std::filesystem::filesystem_error("cannot write", path, std::error_code(error, std::generic_category()));
}

std::string RocksdbDatabase::lacks() const {
  const std::filesystem::path path = directory_->path() / kRoomFile;
  std::error_code ignored;
  if (const auto space = std::filesystem::space(directory_->path(), ignored); space.available < kRoomBytes) {
    return kDiskIsFull;
  }
  std::string reason;
  try {
    base::write_file(path, std::string(kRoomBytes, '\0'));
  } catch (const std::filesystem::filesystem_error& error) {
    reason = what_is_lacking(error.code());
    if (reason.empty()) reason = error.code().message();
  } catch (const std::bad_alloc&) {
    reason = kNoMemory;
  }
  std::filesystem::remove(path, ignored);
  std::filesystem::remove(path.native() + ".new", ignored);
  return reason;
}

void RocksdbDatabase::open_and_check() {
  if (use_ == Use::write) {
    require_room();
    check_logs();
  }
  open();
  load_last_version();
  // No acknowledged commit can be older than the FORMAT file.
  if (!directory_->is_initialized() && last_version_ != Version()) {
    throw OpenError(damaged("its file FORMAT is missing"));
  }
  if (use_ == Use::read) return;
  files_->opened();
  if (directory_->format() < kStoreFormat) directory_->mark_initialized();
}

void RocksdbDatabase::check_logs() {
  std::optional<LogLedger> ledger;
  if (directory_->format() >= kLedgerSinceFormat) {
    ledger = read_log_ledger(directory_->path());
    if (!ledger) throw OpenError(damaged(base::cat("its file ", kLogLedgerFile, " is missing")));
  }
  for (const TornEnd& end : store::check_logs(directory_->path(), ledger)) {
    cut(end);
    base::log_warning("store: the end of a log was never complete, as after a crash; it is cut off",
                      {{"file", end.file.filename()},
                       {"from_byte", std::to_string(end.at)},
                       {"bytes", std::to_string(end.bytes)}});
  }
}

// RocksDB does not always say which file it means.
std::string RocksdbDatabase::reason_of(const rocksdb::Status& status) const {
  std::string reason = status.ToString();
  if (const auto tables = find_damaged_tables(); !tables.empty()) return tables.front();
  // It looks under a name of before last.
  for (size_t at; (at = reason.find(".ldb")) != std::string::npos;) reason.replace(at, 4, kTableSuffix);
  return reason;
}

std::vector<std::string> RocksdbDatabase::find_damaged_tables() const {
  std::vector<std::string> result;
  // Of a database that is open: what else lies there was not finished when a server died, and is nobody's.
  std::set<std::string> live;
  if (db_) {
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    for (const auto& file : files) live.insert(std::filesystem::path(file.name).filename());
  }
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(directory_->database_path(), none)) {
    if (entry.path().extension() != kTableSuffix) continue;
    if (db_ && !live.contains(entry.path().filename())) continue;
    const auto options = database_options(env_.get(), cache_, false);
    rocksdb::SstFileReader reader(rocksdb::Options(options, family_options(cache_)));
    auto status = reader.Open(entry.path());
    if (status.ok()) status = reader.VerifyChecksum();
    if (status.ok()) continue;
    result.push_back(base::cat("its table ", entry.path().filename().native(), ": ", status.ToString()));
  }
  return result;
}

void RocksdbDatabase::open() {
  take_own_checksums();
  const bool create = !directory_->is_initialized();
  const auto& files = options_.env != nullptr ? options_.env->GetFileSystem() : rocksdb::FileSystem::Default();
  files_ = std::make_shared<WatchedFiles>(files, directory_->path());
  env_ = rocksdb::NewCompositeEnv(files_);
  auto main_options = family_options(cache_);
  main_options.memtable_factory = std::make_shared<IndexedMemtableFactory>();
  const std::vector<rocksdb::ColumnFamilyDescriptor> families = {
      {rocksdb::kDefaultColumnFamilyName, main_options}, {kLogsFamily, family_options(cache_)}};
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  auto options = database_options(env_.get(), cache_, create);
  const std::string path = directory_->database_path();
  if (use_ == Use::read) {
    files_->fence();
    // Torn ends are still there, and may hold anything.
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  }
  const auto status = use_ == Use::read ? rocksdb::DB::OpenForReadOnly(options, path, families, &handles, &db)
                                        : rocksdb::DB::Open(options, path, families, &handles, &db);
  if (const std::string lacking = what_is_lacking(status); !lacking.empty()) throw_no_room(lacking);
  if (!status.ok()) throw OpenError(damaged(reason_of(status)));
  db_.reset(db);
  main_ = handles[0];
  logs_ = handles[1];
}

void RocksdbDatabase::copy_to(const std::filesystem::path& to, const std::stop_token& stop) const {
  constexpr uint64_t kNeverFlush = UINT64_MAX;  // the logs are copied instead
  files_->let_copies_go_on(true);
  const std::stop_callback cut_short(stop, [this] { files_->let_copies_go_on(false); });
  rocksdb::Checkpoint* made = nullptr;
  auto status = rocksdb::Checkpoint::Create(db_.get(), &made);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  if (status.ok()) status = checkpoint->CreateCheckpoint(to, kNeverFlush);
  if (!status.ok()) throw std::runtime_error("the database cannot be copied: " + status.ToString());
}

void RocksdbDatabase::close() {
  if (!db_) return;
  for (auto* family : {main_, logs_}) (void)db_->DestroyColumnFamilyHandle(family);
  if (const auto status = db_->Close(); !status.ok()) {
    base::log_warning("store: closing failed", {{"reason", status.ToString()}});
    use_ = Use::read;
  }
  db_.reset();
  if (use_ == Use::read) return;
  try {
    files_->closed();
  } catch (const std::exception& error) {
    base::log_warning("store: a clean stop could not be noted, the next start is one as after a crash",
                      {{"reason", error.what()}});
  }
}

void RocksdbDatabase::load_last_version() {
  std::string value;
  const auto status = db_->Get(rocksdb::ReadOptions(), main_, last_version_key(), &value);
  if (status.IsNotFound()) return;
  if (const std::string lacking = what_is_lacking(status); !lacking.empty()) throw_no_room(lacking);
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

std::shared_ptr<const View> make_rocksdb_view(std::shared_ptr<RocksdbDatabase> database, Version version,
                                              std::shared_ptr<const RecentWrites> recent) {
  return std::make_shared<RocksdbView>(std::move(database), version, std::move(recent));
}

void RocksdbBatch::begin() { (void)batch_.PutLogData(slice(database_->commit_mark())); }

void RocksdbBatch::add(std::string_view key, const char* value, size_t value_bytes) {
  entries_.push_back({keys_.size(), key.size(), value, value_bytes});
  keys_.append(key);
  value_bytes_ += value_bytes;
}

void RocksdbBatch::put(std::string_view key, std::string_view value) {
  add(key, value.data() != nullptr ? value.data() : "", value.size());
}

void RocksdbBatch::erase(std::string_view key) { add(key, nullptr, 0); }

// What it erases has to be before it, and what comes later after it.
void RocksdbBatch::erase_range(std::string_view begin, std::string_view end) {
  sort_out();
  (void)batch_.DeleteRange(database_->family_of(begin), slice(begin), slice(end));
}

// Of a large one all the memory at once, instead of some that grows and is copied.
void RocksdbBatch::make_room() {
  const size_t bytes = keys_.size() + value_bytes_ + entries_.size() * kEntryHeadBytes;
  if (bytes <= kBatchMemoryKept || batch_.Count() > 0) return;
  batch_ = rocksdb::WriteBatch(bytes + batch_.GetDataSize());
  begin();
}

void RocksdbBatch::sort_out() {
  make_room();
  std::ranges::sort(entries_, [&](const Entry& a, const Entry& b) {
    const int order = key_of(a).compare(key_of(b));
    return order != 0 ? order < 0 : a.key_at < b.key_at;
  });
  for (size_t n = 0; n < entries_.size(); ++n) {
    const std::string_view key = key_of(entries_[n]);
    if (n + 1 < entries_.size() && key_of(entries_[n + 1]) == key) continue;
    auto* const family = database_->family_of(key);
    if (entries_[n].value == nullptr) {
      (void)batch_.Delete(family, slice(key));
    } else {
      (void)batch_.Put(family, slice(key), {entries_[n].value, entries_[n].value_bytes});
    }
  }
  // Of one large batch no memory is kept.
  if (entries_.capacity() * sizeof(Entry) > kBatchMemoryKept) entries_ = {};
  if (keys_.capacity() > kBatchMemoryKept) keys_ = {};
  entries_.clear();
  keys_.clear();
  value_bytes_ = 0;
}

rocksdb::Status RocksdbBatch::write_synced(Version last_version) {
  std::string value;
  base::append_u64(value, last_version.value);
  put(last_version_key(), value);
  sort_out();
  rocksdb::WriteOptions options;
  options.sync = true;
  const auto status = database_->db().Write(options, &batch_);
  if (batch_.Data().capacity() > kBatchMemoryKept) {
    batch_ = rocksdb::WriteBatch();
  } else {
    batch_.Clear();
  }
  begin();
  return status;
}

}  // namespace tidemill::store
