#include "store/watched_files.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "base/crc_sums.h"
#include "base/file.h"
#include "store/log_check.h"

namespace tidemill::store {

namespace {

namespace fs = std::filesystem;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

IOStatus given_up() { return IOStatus::IOError("this database was given up for a newer one"); }

}  // namespace

class WatchedFiles::File final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  File(std::unique_ptr<FSWritableFile> file, WatchedFiles& owner, const std::string& name)
      : FSWritableFileOwnerWrapper(std::move(file)),
        owner_(owner),
        is_copy_(!name.empty() && fs::path(name).parent_path() != owner.data_ / kDatabaseDirectory),
        log_(owner.own_log(name)),
        manifest_(owner.own_manifest(name)) {}

  using FSWritableFileOwnerWrapper::Append;
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, IODebugContext* context) override {
    if (is_given_up()) return given_up();
    return appended(data, FSWritableFileOwnerWrapper::Append(data, options, context), options, context);
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo& info,
                  IODebugContext* context) override {
    if (is_given_up()) return given_up();
    return appended(data, FSWritableFileOwnerWrapper::Append(data, options, info, context), options, context);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    const uint64_t bytes = bytes_;
    return synced(bytes, FSWritableFileOwnerWrapper::Sync(options, context));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    const uint64_t bytes = bytes_;
    return synced(bytes, FSWritableFileOwnerWrapper::Fsync(options, context));
  }
  IOStatus RangeSync(uint64_t offset, uint64_t bytes, const IOOptions& options, IODebugContext* context) override {
    return judged(FSWritableFileOwnerWrapper::RangeSync(offset, bytes, options, context));
  }

 private:
  [[nodiscard]] bool is_given_up() const {
    return owner_.fenced_ || (log_ && owner_.log_failed_) || (is_copy_ && !owner_.copies_may_go_on_);
  }

  // Every commit is synced, so what stands behind the last sync of a log is of the one that has failed: it goes, or it
  // would stand, torn, before what follows.
  IOStatus appended(const rocksdb::Slice& data, IOStatus status, const IOOptions& options, IODebugContext* context) {
    bytes_ += data.size();
    if (manifest_) sum_ = base::crc32c({data.data(), data.size()}, sum_);
    if (status.ok()) return status;
    torn_ = true;
    if (!log_) return status;
    owner_.log_failed_ = true;
    (void)FSWritableFileOwnerWrapper::Truncate(synced_bytes_, options, context);
    return status;
  }
  // `bytes` were in it when the sync began. Of one that is torn nobody knows how long it is.
  IOStatus synced(uint64_t bytes, IOStatus status) {
    if (!status.ok() || torn_) return judged(std::move(status));
    synced_bytes_ = std::max(synced_bytes_, bytes);
    if (manifest_) owner_.manifest_synced(*manifest_, synced_bytes_, sum_);
    if (log_) owner_.log_synced(*log_, synced_bytes_);
    return status;
  }
  IOStatus judged(IOStatus status) {
    if (!status.ok()) owner_.sync_failed_ = true;
    return status;
  }

  WatchedFiles& owner_;
  const bool is_copy_;  // of a file of the database, elsewhere
  const std::optional<uint64_t> log_;
  const std::optional<uint64_t> manifest_;
  uint64_t bytes_ = 0;         // in it
  uint64_t synced_bytes_ = 0;  // of them
  uint32_t sum_ = 0;           // of a manifest's
  bool torn_ = false;          // something could not be added
};

// Of a log of the database: a copy of one elsewhere is none of the ledger's.
std::optional<uint64_t> WatchedFiles::own_log(const fs::path& path) const {
  return path.parent_path() == data_ / kDatabaseDirectory ? log_number(path.filename()) : std::nullopt;
}

std::optional<uint64_t> WatchedFiles::own_manifest(const fs::path& path) const {
  return path.parent_path() == data_ / kDatabaseDirectory ? manifest_number(path.filename()) : std::nullopt;
}

// A new one is synced before CURRENT names it. If the machine dies between the two, its number may be given to another; so
// nothing is told of it before it is synced again.
void WatchedFiles::manifest_synced(uint64_t number, uint64_t bytes, uint32_t sum) {
  bool is_named = false;
  {
    const std::lock_guard lock(mutex_);
    is_named = manifest_ == number;
    manifest_ = number;
    manifest_bytes_ = bytes;
    manifest_sum_ = sum;
  }
  if (SyncedMarkFile* const told = told_; told && is_named && !fenced_) told->manifest_synced(number, bytes, sum);
}

void WatchedFiles::log_synced(uint64_t number, uint64_t bytes) {
  if (SyncedMarkFile* const told = told_; told && !fenced_) told->log_synced(number, bytes);
}

WatchedFiles::WatchedFiles(std::shared_ptr<rocksdb::FileSystem> files, fs::path data)
    : FileSystemWrapper(std::move(files)), data_(std::move(data)), mark_(new_commit_mark()) {
  if (!fs::exists(data_ / kDatabaseDirectory)) return;
  for (const auto& entry : fs::directory_iterator(data_ / kDatabaseDirectory)) {
    if (const auto number = log_number(entry.path().filename()))
      ledger_.closed_bytes.emplace(*number, entry.file_size());
  }
}

void WatchedFiles::opened() {
  const std::lock_guard lock(mutex_);
  write_ledger(ledger_);
  synced_mark_ = std::make_unique<SyncedMarkFile>(
      data_, SyncedMark{mark_, ledger_.newest, 0, manifest_, manifest_bytes_, manifest_sum_});
  told_ = synced_mark_.get();
  open_ = true;
  for (const std::string& name : std::exchange(doomed_, {})) {
    (void)FileSystemWrapper::DeleteFile(name, IOOptions(), nullptr);  // one that stays and is not wanted does no harm
  }
}

void WatchedFiles::closed() {
  const std::lock_guard lock(mutex_);
  if (!open_ || fenced_ || sync_failed_ || log_failed_ || ledger_.newest == 0) return;
  const fs::path log = data_ / kDatabaseDirectory / log_name(ledger_.newest);
  base::sync_file(base::Descriptor(::open(log.c_str(), O_RDONLY | O_CLOEXEC)), log);
  LogLedger ended = ledger_;
  ended.closed_bytes.emplace(ended.newest, fs::file_size(log));
  ended.newest = 0;  // the mark stays: by it SYNCED is known to speak of this manifest
  write_ledger(ended);
}

void WatchedFiles::write_ledger(LogLedger ledger) const {
  const fs::path database = data_ / kDatabaseDirectory;
  ledger.manifest = current_manifest(database).value_or(0);
  // What is not synced yet may not be there after a power failure.
  ledger.manifest_bytes = ledger.manifest == manifest_ ? manifest_bytes_ : 0;
  write_log_ledger(data_, ledger);
}

IOStatus WatchedFiles::note(const std::function<void(LogLedger&)>& change) {
  const std::lock_guard lock(mutex_);
  LogLedger changed = ledger_;
  try {
    change(changed);
    if (open_) write_ledger(changed);
  } catch (const fs::filesystem_error& error) {
    const bool full = error.code() == std::errc::no_space_on_device;
    return full ? IOStatus::NoSpace(error.what()) : IOStatus::IOError(error.what());
  } catch (const std::exception& error) {
    return IOStatus::IOError(error.what());
  }
  ledger_ = std::move(changed);
  return IOStatus::OK();
}

// The log is there, with its name on the disk, before the ledger says so; nothing is written to it before both.
IOStatus WatchedFiles::NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                       std::unique_ptr<FSWritableFile>* result, IODebugContext* context) {
  const auto number = own_log(name);
  if (fenced_ || (number && log_failed_)) return given_up();
  auto status = FileSystemWrapper::NewWritableFile(name, options, result, context);
  if (!status.ok()) return status;
  *result = std::make_unique<File>(std::move(*result), *this, name);
  if (!number) return status;
  try {
    base::sync_directory(fs::path(name).parent_path());
  } catch (const std::exception& error) {
    return IOStatus::IOError(error.what());
  }
  return note([&](LogLedger& ledger) {
    if (ledger.newest != 0) {
      ledger.closed_bytes.emplace(ledger.newest, fs::file_size(fs::path(name).parent_path() / log_name(ledger.newest)));
    }
    ledger.newest = *number;
    ledger.mark = mark_;
    ledger.closed_bytes.erase(*number);
  });
}

IOStatus WatchedFiles::ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                          std::unique_ptr<FSWritableFile>* result, IODebugContext* context) {
  if (fenced_) return given_up();
  auto status = FileSystemWrapper::ReopenWritableFile(name, options, result, context);
  if (status.ok()) *result = std::make_unique<File>(std::move(*result), *this, "");  // not from its beginning
  return status;
}

// The ledger forgets a log before it is removed: one that is there and not wanted does no harm. While the database is
// being opened the ledger stays as it was, so the logs do, too.
IOStatus WatchedFiles::DeleteFile(const std::string& name, const IOOptions& options, IODebugContext* context) {
  if (fenced_) return given_up();
  if (const auto number = own_log(name)) {
    if (put_off_removal(*number, name)) return IOStatus::OK();
    auto status = note([&](LogLedger& ledger) { ledger.closed_bytes.erase(*number); });
    if (!status.ok()) return status;
  }
  return FileSystemWrapper::DeleteFile(name, options, context);
}

bool WatchedFiles::put_off_removal(uint64_t number, const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (open_) return false;
  ledger_.closed_bytes.erase(number);
  doomed_.push_back(name);
  return true;
}

IOStatus WatchedFiles::RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                                  IODebugContext* context) {
  if (fenced_) return given_up();
  return FileSystemWrapper::RenameFile(from, to, options, context);
}

IOStatus WatchedFiles::LockFile(const std::string&, const IOOptions&, rocksdb::FileLock** lock, IODebugContext*) {
  *lock = new rocksdb::FileLock();
  return IOStatus::OK();
}

IOStatus WatchedFiles::UnlockFile(rocksdb::FileLock* lock, const IOOptions&, IODebugContext*) {
  delete lock;
  return IOStatus::OK();
}

}  // namespace tidemill::store
