#include "store/rocksdb_checksum.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/crc_sums.h"

// All of RocksDB's util/crc32c.cc that others call. One that were missing here would bring that file in as well, and
// the linker would refuse what is there twice.
namespace rocksdb::crc32c {

uint32_t Extend(uint32_t before, const char* data, size_t size) {
  return tidemill::base::crc32c(std::string_view(data, size), before);
}

uint32_t Crc32cCombine(uint32_t first, uint32_t second, size_t second_size) {
  return tidemill::base::crc32c_combine(first, second, second_size);
}

std::string IsFastCrc32Supported() { return "Supported by Tidemill"; }

}  // namespace rocksdb::crc32c

namespace tidemill::store {

void take_own_checksums() {}

}  // namespace tidemill::store
