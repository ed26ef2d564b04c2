// Tells damage in the database's logs from the torn end that a crash leaves, before the database is opened. RocksDB
// takes a record whose length was damaged for the end of the log, and a log that is missing or empty for one that never
// held anything; so would lose what was acknowledged without a word. Inside store/ only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/log_ledger.h"

namespace tidemill::store {

// A record at the end of a log that was never complete.
struct TornEnd {
  std::filesystem::path file;
  uint64_t at = 0;     // the byte at which it begins
  uint64_t bytes = 0;  // that there are of it
};

// Looks at the write-ahead logs and at the manifest in the data directory, by what the ledger says of them; without one
// (a directory of a format before 4) each log may have a torn end. Returns the torn ends that there are; throws Damage
// for whatever else is not as it was (docs/store-format.md, "Damage or a torn end").
[[nodiscard]] std::vector<TornEnd> check_logs(const std::filesystem::path& data,
                                              const std::optional<LogLedger>& ledger);

// Random bytes for the commits of one open database to begin with. Whatever bytes a client has written, they are not
// taken for a commit: it would have to know the mark, and a number that was not given yet.
[[nodiscard]] std::string new_commit_mark();

// Durably: what stands there from now on is all that ever will. Throws std::filesystem::filesystem_error.
void cut(const TornEnd& end);

}  // namespace tidemill::store
