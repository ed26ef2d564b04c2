// The embedded backend: one RocksDB in the data directory, one committing thread that gathers waiting transactions,
// checks their reads against what committed since, and writes them as one synced batch.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>

#include "base/clock.h"
#include "store/paused.h"
#include "store/store.h"

namespace rocksdb {
class Env;
}

namespace tidemill::store {

struct RocksdbOptions {
  std::filesystem::path directory;
  // How much of what was read from files is kept in memory, index and filters included.
  size_t cache_bytes = 64 << 20;
  std::shared_ptr<Condition> condition = std::make_shared<Condition>();  // where it says what it is in
  rocksdb::Env* env = nullptr;  // for tests that inject faults; must outlive the store. Default: the machine's.
};

// Creates the directory (mode 0700) if need be and locks it. Throws OpenError if it is in use, damaged, or of a newer
// format. `clock` gives commit times and must outlive the store.
std::unique_ptr<Store> open_rocksdb(const RocksdbOptions& options, base::Clock& clock);

// Of a store that open_rocksdb() gave: its data directory; and a copy of its database as it is at one moment, in a directory
// that is not there yet (backup.h makes a data directory of it), one at a time. Any thread; waits for the disk, but not
// for long once `stop` is asked for. Throws std::runtime_error.
[[nodiscard]] std::filesystem::path data_of(Store& store);
// And how many of its states are still read, the newest included: what they see cannot be cleared away.
[[nodiscard]] uint64_t views_of(Store& store);
void copy_database(Store& store, const std::filesystem::path& to, const std::stop_token& stop);

}  // namespace tidemill::store
