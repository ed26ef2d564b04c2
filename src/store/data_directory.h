// The data directory as a whole: who may use it, and in which format it is (docs/store-format.md). Inside store/ only.
#pragma once

#include <filesystem>
#include <optional>

namespace tidemill::store {

// The format that this binary writes. It reads the earlier ones.
inline constexpr int kStoreFormat = 3;

// Holds the directory's lock while it lives. Functions' processes do not inherit it.
class DataDirectory {
 public:
  // Creates the directory (mode 0700) if need be and locks it. Throws OpenError if that cannot be, if another process
  // holds it, or if it is of a newer format than this binary's. An earlier format becomes this one: binaries that know
  // only that refuse the directory from then on.
  explicit DataDirectory(std::filesystem::path path);
  ~DataDirectory();
  DataDirectory(const DataDirectory&) = delete;

  // Whether a store was completely created here before.
  [[nodiscard]] bool is_initialized() const { return initialized_; }
  // Notes durably that a store of this format is here now.
  void mark_initialized();

  [[nodiscard]] std::filesystem::path database_path() const { return path_ / "db"; }

 private:
  void check_format();

  const std::filesystem::path path_;
  int lock_fd_ = -1;
  bool initialized_ = false;
};

}  // namespace tidemill::store
