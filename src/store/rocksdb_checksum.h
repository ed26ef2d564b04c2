// RocksDB sums all that it writes to its log with CRC-32C. Debian builds it for processors without the instruction for
// that, and so it takes tables: a fifth of the committer's time where records are large. Here stand its functions by
// these names once more, by the instruction (base/crc_sums.h); the linker takes them instead.
#pragma once

namespace tidemill::store {

// Does nothing; who calls it has the linker look here first.
void take_own_checksums();

}  // namespace tidemill::store
