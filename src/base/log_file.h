// Where the log goes instead of standard error: a file that does not grow without end. At its largest size it becomes
// "<path>.1", that before it "<path>.2", and so on; the oldest goes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace tidemill::base {

inline constexpr uint64_t kLogFileBytesMax = 64 << 20;
inline constexpr int kLogFilesKept = 4;  // beside the one that is written to

// From now on, for the whole process. A file that is there is added to. Throws std::filesystem::filesystem_error.
void log_to_file(const std::filesystem::path& path, uint64_t bytes_max = kLogFileBytesMax);
// Standard error again.
void log_to_standard_error();

// For log.cc: one line, with its end, in one piece. What cannot be written is dropped: the log must not stop the work.
void write_log_line(std::string_view line);

}  // namespace tidemill::base
