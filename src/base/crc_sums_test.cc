#include "base/crc_sums.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/crc32.h"

namespace tidemill::base {
namespace {

// Bit by bit, as the definition has it.
template <class Word>
Word slowly(std::string_view bytes, Word polynomial) {
  Word crc = ~Word{0};
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? polynomial : 0);
  }
  return ~crc;
}
uint32_t slowly_castagnoli(std::string_view bytes) { return slowly<uint32_t>(bytes, 0x82f63b78); }
uint64_t slowly_nvme(std::string_view bytes) { return slowly<uint64_t>(bytes, 0x9a6c9329ac4bc9b5); }

std::string random_bytes(size_t size) {
  std::mt19937 random(3);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST(CrcSums, HaveTheirCheckValues) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc64nvme("123456789"), 0xae8b14860a799888u);
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc64nvme(""), 0u);
}

TEST(CrcSums, AgreeWithTheirDefinitionsAtEveryLength) {
  const std::string bytes = random_bytes(400);
  for (size_t length = 0; length < bytes.size(); ++length) {
    const std::string_view part = std::string_view(bytes).substr(0, length);
    EXPECT_EQ(crc32c(part), slowly_castagnoli(part)) << length;
    EXPECT_EQ(crc64nvme(part), slowly_nvme(part)) << length;
  }
}

TEST(CrcSums, GoOnAndCombineWhereverATextIsDivided) {
  const std::string bytes = random_bytes(5000);
  for (size_t at = 0; at <= bytes.size(); at += 59) {
    const std::string_view first = std::string_view(bytes).substr(0, at);
    const std::string_view second = std::string_view(bytes).substr(at);
    EXPECT_EQ(crc32c(second, crc32c(first)), slowly_castagnoli(bytes));
    EXPECT_EQ(crc64nvme(second, crc64nvme(first)), slowly_nvme(bytes));
    EXPECT_EQ(crc32_combine(crc32(first), crc32(second), second.size()), crc32(bytes));
    EXPECT_EQ(crc32c_combine(crc32c(first), crc32c(second), second.size()), slowly_castagnoli(bytes));
    EXPECT_EQ(crc64nvme_combine(crc64nvme(first), crc64nvme(second), second.size()), slowly_nvme(bytes));
  }
}

}  // namespace
}  // namespace tidemill::base
