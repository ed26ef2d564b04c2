// Blobs as files: <directory>/<first byte, hexadecimal>/<id, hexadecimal>, mode 0600 in directories of mode 0700.
#pragma once

#include <filesystem>
#include <memory>

#include "store/blobs.h"

namespace tidemill::store {

// Writes of one blob are handed to the disk after so many bytes, so that the last sync has little left to do.
inline constexpr size_t kWriteBehindBytes = 8 << 20;

// Threads for what waits for the disk; they start when they are needed.
inline constexpr int kBlobThreadsMax = 8;

// Makes nothing until the first blob is written.
std::unique_ptr<Blobs> open_file_blobs(std::filesystem::path directory);

}  // namespace tidemill::store
