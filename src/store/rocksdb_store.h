// The embedded backend: one RocksDB in the data directory, one committing thread that gathers waiting transactions,
// checks their reads against what committed since, and writes them as one synced batch.
#pragma once

#include <filesystem>
#include <memory>

#include "base/clock.h"
#include "store/store.h"

namespace rocksdb {
class Env;
}

namespace tidemill::store {

struct RocksdbOptions {
  std::filesystem::path directory;
  // How much of what was read from files is kept in memory, index and filters included.
  size_t cache_bytes = 64 << 20;
  rocksdb::Env* env = nullptr;  // for tests that inject faults; must outlive the store. Default: the machine's.
};

// Creates the directory (mode 0700) if need be and locks it. Throws OpenError if it is in use, damaged, or of a newer
// format. `clock` gives commit times and must outlive the store.
std::unique_ptr<Store> open_rocksdb(const RocksdbOptions& options, base::Clock& clock);

}  // namespace tidemill::store
