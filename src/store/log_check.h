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

}  // namespace tidemill::store
