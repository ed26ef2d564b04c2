// The ledger of write-ahead logs: which there are and how long each was when it was closed, kept beside the database so
// that one of them that is missing, emptied or cut can be told from one that never was. Written whenever a log begins
// or goes, which is every few tens of megabytes, and at each start and clean stop; docs/store-format.md has its form.
// Inside store/ only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

namespace tidemill::store {

// A file of the data directory is not what it was when it was written. what() names it and says how it differs.
class Damage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct LogLedger {
  // By number. Each is synced to its end, and nothing is added to it any more.
  std::map<uint64_t, uint64_t> closed_bytes;
  // The one that is written to; a crash may leave it with a torn end. 0: none is, since the database was closed cleanly
  // or none was begun yet.
  uint64_t newest = 0;
  // By which a commit of that one is known for certain (log_check.h). "": its commits have none. After a clean stop, of the
  // last one: SYNCED is of the same life if it has the same (synced_mark.h).
  std::string mark;
  // The file in which the database says what it consists of: at least as long as this, as long as it is that one.
  uint64_t manifest = 0;
  uint64_t manifest_bytes = 0;
};

inline constexpr const char* kLogLedgerFile = "LOGS";
inline constexpr const char* kDatabaseDirectory = "db";

// Nothing if there is none in the data directory; throws Damage for one that is not readable.
[[nodiscard]] std::optional<LogLedger> read_log_ledger(const std::filesystem::path& data);
// Durably, whole or not at all. Throws std::filesystem::filesystem_error.
void write_log_ledger(const std::filesystem::path& data, const LogLedger& ledger);

// Lines with the CRC-32C of them as the last, and what stands before that line; nothing if the sum is another.
[[nodiscard]] std::string with_sum(std::string lines);
[[nodiscard]] std::optional<std::string> without_sum(const std::string& text);

// "000012.log" and "MANIFEST-000012": what RocksDB calls its files.
[[nodiscard]] std::string log_name(uint64_t number);
[[nodiscard]] std::string manifest_name(uint64_t number);
// The number of such a name; nothing if it is not one.
[[nodiscard]] std::optional<uint64_t> log_number(const std::filesystem::path& name);
[[nodiscard]] std::optional<uint64_t> manifest_number(const std::filesystem::path& name);
// Of the manifest that counts: the one that CURRENT names. Nothing if there is none.
[[nodiscard]] std::optional<uint64_t> current_manifest(const std::filesystem::path& database);

}  // namespace tidemill::store
