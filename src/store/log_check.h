// Tells damage in a write-ahead log from the torn end that a crash leaves. RocksDB takes a record whose length was
// damaged for the end of the log, and so would lose what was acknowledged after it without a word.
// Inside store/ only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tidemill::store {

// Looks at the write-ahead logs in the database directory `path`, before the database is opened. Returns what is
// damaged; nothing if all is well (docs/store-format.md, "Damage or a torn end").
[[nodiscard]] std::optional<std::string> find_log_damage(const std::filesystem::path& path);

// For a database that RocksDB refuses as corrupt: a crash of the machine may have torn the last record so that its
// middle never reached the disk, which RocksDB does not tell from damage. Cuts such records off; false if there are none.
bool cut_torn_ends(const std::filesystem::path& path);

}  // namespace tidemill::store
