// The data directory as a whole: who may use it, and in which format it is (docs/store-format.md). Inside store/ only.
#pragma once

#include <filesystem>
#include <optional>

#include "store/log_ledger.h"

namespace tidemill::store {

// The format that this binary writes. It reads the earlier ones.
inline constexpr int kStoreFormat = 7;
// Since when there is a ledger of logs.
inline constexpr int kLedgerSinceFormat = 4;

// Holds the directory's lock while it lives. Functions' processes do not inherit it.
class DataDirectory {
 public:
  // Creates the directory (mode 0700) if need be and locks it. Throws OpenError if that cannot be, if another process
  // holds it, if others than its owner may look into it and that cannot be changed, or if it is of a newer format than
  // this binary's.
  explicit DataDirectory(std::filesystem::path path);
  ~DataDirectory();
  DataDirectory(const DataDirectory&) = delete;

  // Whether a store was completely created here before.
  [[nodiscard]] bool is_initialized() const { return format_ > 0; }
  // In which format it is; 0: no store was created here yet.
  [[nodiscard]] int format() const { return format_; }
  // Notes durably that a store of this binary's format is here now: binaries that know only earlier ones refuse the
  // directory from then on.
  void mark_initialized();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path database_path() const { return path_ / kDatabaseDirectory; }

 private:
  void check_format();

  const std::filesystem::path path_;
  int lock_fd_ = -1;
  int format_ = 0;
};

}  // namespace tidemill::store
