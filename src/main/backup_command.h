// `tidemill backup --to DIR`: has a running server copy its data directory. A client like any other.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "main/client.h"

namespace tidemill {

struct BackupOptions {
  std::filesystem::path to;  // absolute, as the server sees it
  ClientOptions client;
};

// What follows the word "backup". Throws UsageError.
BackupOptions parse_backup_options(std::span<const std::string_view> arguments, const Environment& environment);

// Says where the backup is, or why there is none; the program's exit code.
int make_backup(const BackupOptions& options);

}  // namespace tidemill
