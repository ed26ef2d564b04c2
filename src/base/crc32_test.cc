#include "base/crc32.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace tidemill::base {
namespace {

// Bit by bit, as the definition has it.
uint32_t slowly(std::string_view bytes) {
  uint32_t crc = ~uint32_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

TEST(Crc32, HasItsCheckValue) {
  EXPECT_EQ(crc32("123456789"), 0xcbf43926u);
  EXPECT_EQ(crc32(""), 0u);
}

TEST(Crc32, AgreesWithItsDefinitionAtEveryLength) {
  std::mt19937 random(1);
  std::string bytes;
  for (int length = 0; length < 400; ++length) {
    EXPECT_EQ(crc32(bytes), slowly(bytes)) << length;
    bytes.push_back(static_cast<char>(random()));
  }
}

TEST(Crc32, AgreesWithItsDefinitionWhereverTheBytesStand) {
  std::mt19937 random(2);
  std::string bytes(100'000, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  for (size_t from = 0; from < 33; ++from) {
    const std::string_view part = std::string_view(bytes).substr(from, bytes.size() - 2 * from);
    EXPECT_EQ(crc32(part), slowly(part)) << from;
  }
}

TEST(Crc32, GoesOnWhereItEnded) {
  const std::string bytes(1000, 'x');
  for (size_t at = 0; at <= bytes.size(); at += 37) {
    const std::string_view all = bytes;
    EXPECT_EQ(crc32(all.substr(at), crc32(all.substr(0, at))), slowly(bytes)) << at;
  }
}

}  // namespace
}  // namespace tidemill::base
