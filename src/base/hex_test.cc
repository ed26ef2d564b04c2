#include "base/hex.h"

#include <gtest/gtest.h>

namespace tidemill::base {
namespace {

TEST(HexTest, EveryByteComesBack) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  EXPECT_EQ(bytes_of_hex(hex_of(bytes)), bytes);
  EXPECT_EQ(hex_of(std::string_view("\0\x0f\xff", 3)), "000fff");
  EXPECT_EQ(bytes_of_hex("AbCd"), "\xab\xcd");
  EXPECT_EQ(bytes_of_hex(""), "");
}

TEST(HexTest, RefusesWhatIsNoPairsOfDigits) {
  for (const auto* text : {"0", "0g", "g0", "-1", "0x", " 1", "000"}) EXPECT_FALSE(bytes_of_hex(text)) << text;
}

}  // namespace
}  // namespace tidemill::base
