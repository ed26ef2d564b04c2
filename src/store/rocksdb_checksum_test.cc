#include "store/rocksdb_checksum.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace rocksdb::crc32c {
uint32_t Extend(uint32_t before, const char* data, size_t size);
uint32_t Crc32cCombine(uint32_t first, uint32_t second, size_t second_size);
std::string IsFastCrc32Supported();
}  // namespace rocksdb::crc32c

namespace tidemill::store {
namespace {

TEST(RocksdbChecksum, IsOurs) {
  take_own_checksums();
  EXPECT_EQ(rocksdb::crc32c::IsFastCrc32Supported(), "Supported by Tidemill");
}

// RFC 3720, B.4; and what logs of before say is read only if these are the same sums.
TEST(RocksdbChecksum, IsTheOneOfTheStandard) {
  const std::string zeros(32, '\0');
  const std::string ones(32, '\xff');
  EXPECT_EQ(rocksdb::crc32c::Extend(0, zeros.data(), zeros.size()), 0x8a9136aaU);
  EXPECT_EQ(rocksdb::crc32c::Extend(0, ones.data(), ones.size()), 0x62a8ab43U);
  const uint32_t first = rocksdb::crc32c::Extend(0, "12345", 5);
  EXPECT_EQ(rocksdb::crc32c::Extend(first, "6789", 4), 0xe3069283U);
  EXPECT_EQ(rocksdb::crc32c::Crc32cCombine(first, rocksdb::crc32c::Extend(0, "6789", 4), 4), 0xe3069283U);
}

}  // namespace
}  // namespace tidemill::store
