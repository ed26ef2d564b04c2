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

enum class Form : uint8_t { letter = 1, parcel = 2 };

struct Parcel {
  Form form = Form::letter;
  uint64_t grams = 0;
  int count = 0;
  bool is_fragile = false;
  std::optional<Time> sent;
  std::map<std::string, std::string> marks;
  std::vector<Letter> letters;
  std::string id = "1234";
  std::string note;

  bool operator==(const Parcel&) const = default;
};

constexpr auto kLetterInside = [](auto& part, auto& letter) { part(letter.from); };
constexpr auto kParcelParts = [](auto& part, auto& parcel) {
  part(parcel.form);
  part(parcel.grams);
  part(parcel.count);
  part(parcel.is_fragile);
  part(parcel.sent);
  part(parcel.marks);
  part.list(parcel.letters, kLetterInside);
  part.fixed(parcel.id, 4);
  part.last(parcel.note);
  part.end();
};

Parcel read_parcel(std::string_view bytes) { return unpack<Parcel>(1, bytes, kParcelParts, "a parcel"); }

TEST(PackedTest, PartsOfEveryKindComeBack) {
  Parcel parcel;
  EXPECT_EQ(read_parcel(pack(1, parcel, kParcelParts)), parcel);
  parcel = {Form::parcel, 1ULL << 40, 7, true, Time(Duration(5)), {{"a", "1"}, {"b", ""}}, {{"me"}, {"you"}}, "abcd", "n"};
  EXPECT_EQ(read_parcel(pack(1, parcel, kParcelParts)), parcel);
}

TEST(PackedTest, WhatIsCutOffOrFollowedByMoreIsDamaged) {
  Parcel parcel;
  parcel.letters = {{"me"}};
  const std::string bytes = pack(1, parcel, kParcelParts);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW((void)read_parcel(bytes.substr(0, size)), std::runtime_error) << size;
  }
  parcel.note = "n";
  EXPECT_THROW((void)read_parcel(pack(1, parcel, kParcelParts) + "?"), std::runtime_error);
}

}  // namespace
}  // namespace tidemill::base
