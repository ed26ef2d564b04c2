// Blobs as files: <directory>/<first byte, hexadecimal>/<id, hexadecimal>.sum, mode 0600 in directories of mode 0700, with
// the sums of summed_file.h, by which all that is read is checked. Without ".sum": one that was written before there were
// any, which is read as it is.
#pragma once

#include <filesystem>
#include <memory>

#include "store/blobs.h"

namespace tidemill::store {

// Writes of one blob are handed to the disk after so many bytes, so that the last sync has little left to do.
inline constexpr size_t kWriteBehindBytes = 1 << 20;

// Pieces that come while others are on their way go together, until they are so many bytes: large work, few handovers.
inline constexpr size_t kBlobBatchBytes = 256 << 10;

// Of one blob, so many bytes wait for the disk and its observer; then its writer waits.
inline constexpr size_t kBlobBytesInFlight = 1 << 20;

// Threads for what waits for the disk; they start when they are needed.
inline constexpr int kBlobThreadsMax = 8;

// Makes nothing until the first blob is written.
std::unique_ptr<Blobs> open_file_blobs(std::filesystem::path directory);

}  // namespace tidemill::store
