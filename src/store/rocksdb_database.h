// RocksDB as this store uses it: how it is opened, which options, how a version is read and a batch is written.
// RocksDB's headers are needed by this file's users only. Inside store/ only.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <stdexcept>
#include <stop_token>

#include "store/block_cache.h"
#include "store/buffered_transaction.h"
#include "store/data_directory.h"
#include "store/rocksdb_store.h"
#include "store/watched_files.h"

namespace tidemill::store {

// The disk is full, too many files are open, or there is no memory: the same may work later.
class NoRoom : public OpenError {
 public:
  using OpenError::OpenError;
};

// A read failed; what() says of what.
class Unreadable : public std::runtime_error {
 public:
  explicit Unreadable(const rocksdb::Status& status)
      : std::runtime_error("the store cannot read: " + status.ToString()), status_(status) {}
  [[nodiscard]] const rocksdb::Status& status() const { return status_; }

 private:
  rocksdb::Status status_;
};

// What a write or a read failed for, if it is room: "the disk is full"; otherwise "".
[[nodiscard]] std::string what_is_lacking(const rocksdb::Status& status);

// The open database and its directory. Shared by the store and its views; closes with the last of them.
class RocksdbDatabase {
 public:
  // Throws OpenError.
  explicit RocksdbDatabase(const RocksdbOptions& options);
  // In the place of one that could not write any more, with all that is checked at a start. That one takes no part any
  // more, but its views can be read as long as the files that they need are there. Throws OpenError.
  static std::shared_ptr<RocksdbDatabase> open_anew(RocksdbDatabase& given_up);
  // To look at what is there: nothing is made, cut or written. The logs have been checked. Throws OpenError.
  static std::shared_ptr<RocksdbDatabase> open_to_read(const RocksdbOptions& options,
                                                       std::shared_ptr<DataDirectory> directory);
  ~RocksdbDatabase();
  RocksdbDatabase(const RocksdbDatabase&) = delete;

  [[nodiscard]] rocksdb::DB& db() const { return *db_; }
  // Logs live in a column family of their own: their trims leave range tombstones that would slow down items' reads.
  [[nodiscard]] rocksdb::ColumnFamilyHandle* family_of(std::string_view key) const;
  // The newest value of a key, whatever views show. Throws Unreadable.
  [[nodiscard]] std::optional<std::string> get_latest(std::string_view key) const;
  // The version of the last commit on disk when this was opened.
  [[nodiscard]] Version last_version() const { return last_version_; }
  [[nodiscard]] const BlockCache& cache() const { return cache_; }
  [[nodiscard]] const DataDirectory& directory() const { return *directory_; }
  // By which its commits are known in its logs (log_check.h).
  [[nodiscard]] const std::string& commit_mark() const { return files_->mark(); }
  // Of its tables those that are not readable to the last byte, each with the reason. Reads all of them.
  [[nodiscard]] std::vector<std::string> find_damaged_tables() const;
  // A copy as it is at one moment, logs included. Any thread; ends soon once `stop` is asked for. Throws
  // std::runtime_error.
  void copy_to(const std::filesystem::path& to, const std::stop_token& stop) const;
  // Why some megabytes cannot be written; empty: they can, they have been.
  [[nodiscard]] std::string lacks() const;
  // Whether the disk has failed to keep something that was to be durable. Then only a restart helps.
  [[nodiscard]] bool sync_failed() const { return files_ && files_->sync_failed(); }

 private:
  enum class Use { read, write };
  RocksdbDatabase(const RocksdbOptions& options, std::shared_ptr<DataDirectory> directory, Use use);

  void open_and_check();
  void require_room() const;
  void check_logs();
  void open();
  void close();
  void load_last_version();
  [[nodiscard]] std::string damaged(const std::string& reason) const;
  [[noreturn]] void throw_no_room(const std::string& lacking) const;
  [[nodiscard]] std::string reason_of(const rocksdb::Status& status) const;

  Use use_;
  const RocksdbOptions options_;
  const std::shared_ptr<DataDirectory> directory_;
  BlockCache cache_;
  std::shared_ptr<WatchedFiles> files_;
  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::ColumnFamilyHandle* main_ = nullptr;
  rocksdb::ColumnFamilyHandle* logs_ = nullptr;
  Version last_version_;
};

// A view of everything written so far. Call only while nothing is being written. `recent` as in View.
std::shared_ptr<const View> make_rocksdb_view(std::shared_ptr<RocksdbDatabase> database, Version version,
                                              std::shared_ptr<const RecentWrites> recent);

// Gathers the commits of one synced write. Between two erasures of ranges they are written in the order of their keys, and
// of a key that several commits have written only the last: so the memtable is passed through once for all of them.
class RocksdbBatch final : public WriteSink {
 public:
  explicit RocksdbBatch(const RocksdbDatabase& database) : database_(&database) { begin(); }

  // The value must stay where it is until all is written.
  void put(std::string_view key, std::string_view value) override;
  void erase(std::string_view key) override;
  void erase_range(std::string_view begin, std::string_view end) override;

  // Writes all of it with `last_version`, and syncs. Empty afterwards.
  [[nodiscard]] rocksdb::Status write_synced(Version last_version);
  [[nodiscard]] size_t bytes() const { return batch_.GetDataSize() + keys_.size() + value_bytes_; }

 private:
  struct Entry {
    size_t key_at;  // in keys_
    size_t key_bytes;
    const char* value;  // nullptr: the key is erased
    size_t value_bytes;
  };

  void begin();
  void add(std::string_view key, const char* value, size_t value_bytes);
  // Into the batch what has gathered.
  void sort_out();
  void make_room();
  [[nodiscard]] std::string_view key_of(const Entry& entry) const {
    return std::string_view(keys_).substr(entry.key_at, entry.key_bytes);
  }

  const RocksdbDatabase* database_;
  rocksdb::WriteBatch batch_;
  std::string keys_;
  std::vector<Entry> entries_;
  size_t value_bytes_ = 0;
};

}  // namespace tidemill::store
