#include "base/utf8.h"

#include <gtest/gtest.h>

namespace tidemill::base {
namespace {

TEST(Utf8, TextStaysAsItIs) {
  for (const std::string_view text : {"", "plain", "exactly8", "näher", "€ and 😀 behind eight bytes"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
    EXPECT_EQ(to_utf8(text), text);
  }
}

TEST(Utf8, WhatIsNoCharacterIsReplacedByteByByte) {
  EXPECT_EQ(to_utf8("a\xff" "b"), "a\xef\xbf\xbd" "b");
  EXPECT_EQ(to_utf8("cut \xe2\x82"), "cut \xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(to_utf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd") << "written longer than it is";
  EXPECT_FALSE(is_utf8("\xed\xa0\x80")) << "a surrogate";
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80")) << "beyond the last character";
}

}  // namespace
}  // namespace tidemill::base
