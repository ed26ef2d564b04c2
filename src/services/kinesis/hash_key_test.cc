#include "services/kinesis/hash_key.h"

#include <gtest/gtest.h>

#include "services/kinesis/sequence_number.h"

namespace tidemill::kinesis {
namespace {

TEST(HashKeyTest, AKeyIsTheMd5OfThePartitionKey) {
  // md5("a") = 0cc175b9c0f1b6a831c399e269772661
  EXPECT_EQ(hash_key_text(hash_of("a")), "16955237001963240173058271559858726497");
}

TEST(HashKeyTest, TextIsReadBackAsItWasWritten) {
  for (const HashKey key : {HashKey{0}, HashKey{9}, HashKey{10}, HashKey{1} << 127, kHashKeyMax}) {
    EXPECT_TRUE(parse_hash_key(hash_key_text(key)) == key);
  }
  EXPECT_EQ(hash_key_text(kHashKeyMax), "340282366920938463463374607431768211455");
}

TEST(HashKeyTest, WhatIsNoKeyIsRefused) {
  for (const char* text : {"", "01", "-1", "1a", "340282366920938463463374607431768211456",
                           "999999999999999999999999999999999999999", "9999999999999999999999999999999999999999"}) {
    EXPECT_FALSE(parse_hash_key(text)) << text;
  }
}

TEST(HashKeyTest, EqualRangesBeginAtMultiplesOfTheirWidth) {
  EXPECT_EQ(hash_key_text(uniform_start(1, 2)), "170141183460469231731687303715884105728");
  EXPECT_EQ(hash_key_text(uniform_start(1, 3)), "113427455640312821154458202477256070485");
  EXPECT_EQ(hash_key_text(uniform_start(2, 3)), "226854911280625642308916404954512140970");
  EXPECT_TRUE(uniform_start(0, 1) == 0);
}

TEST(SequenceNumberTest, ANumberHas56DigitsAndTellsItsShardAndPosition) {
  const base::Time created{std::chrono::seconds(1'789'000'000)};
  const SequenceNumber number{
      .shard = 0x1234'5678, .shard_created = created, .position = {{0x0123'4567'89ab'cdef}, 0xfedc'ba98}};
  const std::string text = sequence_number_text(number);
  EXPECT_EQ(text.size(), 56u);
  EXPECT_TRUE(text.starts_with("49")) << text;
  const auto parsed = parse_sequence_number(text);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->shard, number.shard);
  EXPECT_EQ(parsed->shard_created, created);
  EXPECT_EQ(parsed->position, number.position);
}

TEST(SequenceNumberTest, NumbersOfAShardGrowWithTheirPositions) {
  const SequenceNumber base{.shard = 3, .shard_created = base::Time(std::chrono::seconds(1'789'000'000))};
  std::string last = "0";
  for (const store::Position position :
       {store::Position{{0}, 0}, store::Position{{0}, 1}, store::Position{{1}, 0}, store::Position{{1}, 0xffff'ffff},
        store::Position{{0xffff'ffff'ffff}, 7}, store::Position{{0x1'0000'0000'0000}, 0}, kShardEnd}) {
    SequenceNumber number = base;
    number.position = position;
    const std::string text = sequence_number_text(number);
    EXPECT_LT(last, text);
    last = text;
  }
}

TEST(SequenceNumberTest, WhatIsNoNumberOfOursIsRefused) {
  for (const std::string& text : {std::string(), std::string("0"), std::string(56, '9'), std::string(56, '0'),
                                  std::string(57, '4'), "4" + std::string(54, '9') + "x"}) {
    EXPECT_FALSE(parse_sequence_number(text)) << text;
  }
}

}  // namespace
}  // namespace tidemill::kinesis
