#include "base/packed.h"

#include <gtest/gtest.h>

namespace tidemill::base {
namespace {

struct Letter {
  std::string from;
  uint32_t stamps = 0;
  std::string text;

  bool operator==(const Letter&) const = default;
};

constexpr auto kParts = [](auto& part, auto& letter) {
  part(letter.from);
  part(letter.stamps, append_u32, [](OrderedReader& reader) { return reader.u32(); });
  part.rest(letter.text);
};

Letter read(std::string_view bytes) { return unpack<Letter>(1, bytes, kParts, "a letter"); }

TEST(PackedTest, ARecordComesBackAsItWasWhateverItsBytes) {
  const Letter letter{std::string("a\0b", 3), 7, std::string("\0\xff\x01 text", 8)};
  EXPECT_EQ(read(pack(1, letter, kParts)), letter);
  EXPECT_EQ(read(pack(1, Letter{}, kParts)), Letter{});
}

// What earlier servers wrote is read by later ones.
TEST(PackedTest, TheFormIsAVersionThePartsAndTheRest) {
  EXPECT_EQ(pack(3, Letter{"me", 2, "hello"}, kParts), std::string("\x03me\0\x01\0\0\0\x02hello", 14));
}

TEST(PackedTest, WhatIsCutOffOrOfAnotherVersionIsSaidToBeDamaged) {
  const std::string bytes = pack(1, Letter{"me", 2, ""}, kParts);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW((void)read(bytes.substr(0, size)), std::runtime_error) << size;
  }
  try {
    (void)read(pack(2, Letter{}, kParts));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "a letter is damaged");
  }
}

}  // namespace
}  // namespace tidemill::base
