// The files of the database as RocksDB makes and removes them: keeps the ledger of write-ahead logs, remembers whether
// a sync has failed, and keeps a database that was given up from writing beside the one that took its place. Inside
// store/ only.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "store/log_ledger.h"
#include "store/synced_mark.h"

namespace tidemill::store {

// Of one open database. The data directory's lock stands for the database's own, so this gives none.
class WatchedFiles final : public rocksdb::FileSystemWrapper {
 public:
  WatchedFiles(std::shared_ptr<rocksdb::FileSystem> files, std::filesystem::path data);
  const char* Name() const override { return "watched"; }

  // The database is open: writes the ledger, which until then stays as it was, and removes the logs that opening has made
  // needless. Throws std::filesystem::filesystem_error.
  void opened();
  // It was closed, and nothing went wrong before: syncs the log that was written to and notes how long it is, so that a
  // start that finds it shorter knows that this is not what a crash has left. Throws std::filesystem::filesystem_error.
  void closed();
  // What every commit that is written through this carries at its beginning (log_check.h).
  [[nodiscard]] const std::string& mark() const { return mark_; }
  // From now on nothing is written, made or removed through this; reading goes on.
  void fence() { fenced_ = true; }
  // Whether what copies the database may go on writing. Any thread.
  void let_copies_go_on(bool may) { copies_may_go_on_ = may; }
  // What was written then may be lost however often it is synced again.
  [[nodiscard]] bool sync_failed() const { return sync_failed_; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* result,
                                       rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus LockFile(const std::string& name, const rocksdb::IOOptions& options, rocksdb::FileLock** lock,
                             rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus UnlockFile(rocksdb::FileLock* lock, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;

 private:
  class File;

  [[nodiscard]] std::optional<uint64_t> own_log(const std::filesystem::path& path) const;
  [[nodiscard]] std::optional<uint64_t> own_manifest(const std::filesystem::path& path) const;
  void manifest_synced(uint64_t number, uint64_t bytes, uint32_t sum);
  void log_synced(uint64_t number, uint64_t bytes);
  // True: it goes once the database is open.
  bool put_off_removal(uint64_t number, const std::string& name);
  // Changes the ledger, here and, once the database is open, on the disk.
  rocksdb::IOStatus note(const std::function<void(LogLedger&)>& change);
  void write_ledger(LogLedger ledger) const;

  const std::filesystem::path data_;
  const std::string mark_;
  std::atomic<bool> fenced_ = false;
  std::atomic<bool> copies_may_go_on_ = true;
  std::atomic<bool> sync_failed_ = false;
  // A log could not be written to its end: it was cut behind its last whole commit, and nothing follows in it or another.
  std::atomic<bool> log_failed_ = false;
  std::mutex mutex_;  // guards what follows
  LogLedger ledger_;
  bool open_ = false;
  // Logs that went while the database was being opened: the ledger that says so is written first.
  std::vector<std::string> doomed_;
  // The manifest that was synced last, up to where, and the CRC-32C up to there.
  uint64_t manifest_ = 0;
  uint64_t manifest_bytes_ = 0;
  uint32_t manifest_sum_ = 0;
  // Once the database is open; until then it stays as it was.
  std::unique_ptr<SyncedMarkFile> synced_mark_;
  std::atomic<SyncedMarkFile*> told_ = nullptr;  // the same, for those who sync
};

}  // namespace tidemill::store
