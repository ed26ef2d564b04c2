// A copy of a data directory while it is used: as it was at one moment, so that a server that starts on it finds what
// one would have found that starts after a crash at that moment.
#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <stop_token>

#include "store/blobs.h"
#include "store/store.h"

namespace tidemill::store {

// what() says in one line why there is no backup.
class BackupError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `stop` was asked for before all was copied.
class BackupCutShort : public BackupError {
 public:
  BackupCutShort() : BackupError("the backup was cut short, and what was copied is removed") {}
};

// Of the files below the data directory that are neither the database's nor blobs: whether a copy needs one. By its
// path from there; asked of directories first, whose contents are left out with them.
using IsWanted = std::function<bool(const std::filesystem::path& path)>;

// Copies the directory of `store`, which open_rocksdb() gave, and of `blobs` to the directory `to`, which is made, or
// is there and empty. What is never changed is linked where `to` is on the same disk, and copied otherwise. All of it
// would survive a power failure when this returns; what was begun and failed is removed. Waits for the disk, but not for
// long once `stop` is asked for; commits go on meanwhile. Throws BackupError.
void back_up(Store& store, Blobs& blobs, const std::filesystem::path& to, const IsWanted& is_wanted,
             const std::stop_token& stop);

}  // namespace tidemill::store
