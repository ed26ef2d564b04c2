// How much of the newest log and of the manifest is synced, kept beside the database, so that one of them that was cut
// after a crash can be told from one that the crash has torn. Written after each sync and itself not synced with each: a
// killed server leaves it as it was last, and after a power failure it is as it was a second or so before. What it says was
// true when it was written and stays so; so however old it is, a file that is shorter is damaged. docs/store-format.md
// has its form. Inside store/ only.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "base/file.h"

namespace tidemill::store {

struct SyncedMark {
  std::string commit_mark;  // of the log's commits (log_check.h): what the mark says counts while the ledger has the same
  uint64_t log = 0;         // its number
  uint64_t log_bytes = 0;
  uint64_t manifest = 0;
  uint64_t manifest_bytes = 0;
  uint32_t manifest_sum = 0;  // CRC-32C of so many bytes
};

inline constexpr const char* kSyncedMarkFile = "SYNCED";

// Nothing if there is none in the data directory, or none that is whole: by itself that is no damage.
[[nodiscard]] std::optional<SyncedMark> read_synced_mark(const std::filesystem::path& data);

// Of one open database, from any thread.
class SyncedMarkFile {
 public:
  // Makes it, durably. Throws std::filesystem::filesystem_error.
  SyncedMarkFile(const std::filesystem::path& data, SyncedMark mark);

  // A mark that cannot be written stays as it was, which is true as well.
  void log_synced(uint64_t number, uint64_t bytes);
  // Durable when it returns.
  void manifest_synced(uint64_t number, uint64_t bytes, uint32_t sum);

 private:
  void write();  // with the lock

  std::mutex mutex_;
  SyncedMark mark_;
  base::Descriptor file_;
  std::chrono::steady_clock::time_point pushed_;  // to the disk
};

}  // namespace tidemill::store
