// Files that carry the checksums of what they hold: each piece of 64 KiB, and what is left behind the last, is followed
// by 4 bytes (little endian) CRC-32C of the file's label, the piece's number and its bytes. So what is read is checked
// as it is read, wherever one begins; and a piece of another file or another place is none of this. Inside store/ only;
// on threads that may wait for the disk.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"

namespace tidemill::store {

inline constexpr size_t kSummedPieceBytes = 64 << 10;

// Throws std::system_error.
class SummedWriter {
 public:
  SummedWriter(base::Descriptor file, std::string label);
  void append(std::string_view bytes);
  // Writes the last sum. What is there is not synced.
  void finish();
  [[nodiscard]] const base::Descriptor& file() const { return file_; }
  // Written so far, sums included.
  [[nodiscard]] off_t bytes() const { return bytes_; }

 private:
  void begin_piece();

  base::Descriptor file_;
  std::string label_;
  uint64_t number_ = 0;  // of the piece
  size_t filled_ = 0;
  uint32_t sum_ = 0;
  off_t bytes_ = 0;
};

// What the file holds, without the sums. Throws Damage (log_ledger.h) for a length that no such file has.
[[nodiscard]] uint64_t summed_bytes(off_t file_bytes);

// At most `size` bytes from `offset` on, fewer only at the end. Throws Damage if a piece of them is not what was
// written, and std::system_error.
[[nodiscard]] std::string read_summed(const base::Descriptor& file, std::string_view label, uint64_t offset,
                                      size_t size);

}  // namespace tidemill::store
