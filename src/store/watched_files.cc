#include "store/watched_files.h"

#include <utility>

#include "base/file.h"

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
  File(std::unique_ptr<FSWritableFile> file, WatchedFiles& owner)
      : FSWritableFileOwnerWrapper(std::move(file)), owner_(owner) {}

  using FSWritableFileOwnerWrapper::Append;
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, IODebugContext* context) override {
    if (owner_.fenced_) return given_up();
    return FSWritableFileOwnerWrapper::Append(data, options, context);
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo& info,
                  IODebugContext* context) override {
    if (owner_.fenced_) return given_up();
    return FSWritableFileOwnerWrapper::Append(data, options, info, context);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    return judged(FSWritableFileOwnerWrapper::Sync(options, context));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return judged(FSWritableFileOwnerWrapper::Fsync(options, context));
  }
  IOStatus RangeSync(uint64_t offset, uint64_t bytes, const IOOptions& options, IODebugContext* context) override {
    return judged(FSWritableFileOwnerWrapper::RangeSync(offset, bytes, options, context));
  }

 private:
  IOStatus judged(IOStatus status) {
    if (!status.ok()) owner_.sync_failed_ = true;
    return status;
  }

  WatchedFiles& owner_;
};

// Of a log of the database: a copy of one elsewhere is none of the ledger's.
std::optional<uint64_t> WatchedFiles::own_log(const fs::path& path) const {
  return path.parent_path() == data_ / kDatabaseDirectory ? log_number(path.filename()) : std::nullopt;
}

WatchedFiles::WatchedFiles(std::shared_ptr<rocksdb::FileSystem> files, fs::path data)
    : FileSystemWrapper(std::move(files)), data_(std::move(data)) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(data_ / kDatabaseDirectory, none)) {
    if (const auto number = log_number(entry.path().filename()))
      ledger_.closed_bytes.emplace(*number, entry.file_size());
  }
}

void WatchedFiles::opened() {
  const std::lock_guard lock(mutex_);
  write_ledger(ledger_);
  open_ = true;
}

void WatchedFiles::write_ledger(LogLedger ledger) const {
  const fs::path database = data_ / kDatabaseDirectory;
  ledger.manifest = current_manifest(database).value_or(0);
  ledger.manifest_bytes = ledger.manifest == 0 ? 0 : fs::file_size(database / manifest_name(ledger.manifest));
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
  if (fenced_) return given_up();
  auto status = FileSystemWrapper::NewWritableFile(name, options, result, context);
  if (!status.ok()) return status;
  *result = std::make_unique<File>(std::move(*result), *this);
  const auto number = own_log(name);
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
    ledger.closed_bytes.erase(*number);
  });
}

IOStatus WatchedFiles::ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                          std::unique_ptr<FSWritableFile>* result, IODebugContext* context) {
  if (fenced_) return given_up();
  auto status = FileSystemWrapper::ReopenWritableFile(name, options, result, context);
  if (status.ok()) *result = std::make_unique<File>(std::move(*result), *this);
  return status;
}

// The ledger forgets a log before it is removed: one that is there and not wanted does no harm.
IOStatus WatchedFiles::DeleteFile(const std::string& name, const IOOptions& options, IODebugContext* context) {
  if (fenced_) return given_up();
  if (const auto number = own_log(name)) {
    auto status = note([&](LogLedger& ledger) { ledger.closed_bytes.erase(*number); });
    if (!status.ok()) return status;
  }
  return FileSystemWrapper::DeleteFile(name, options, context);
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
