#include "engine/mappings/checkpoint.h"

#include <gtest/gtest.h>

#include <map>

#include "base/ordered.h"
#include "engine/mappings/batch_pieces.h"

namespace tidemill::engine {
namespace {

store::Position at(uint64_t version) { return {{version}, 0}; }

TEST(Checkpoint, ReadsBackAsWritten) {
  const Checkpoint checkpoint{
      .done = {{7}, 3},
      .shard_finished = true,
      .incarnation = "one",
      .lanes = {{.lane_count = 3, .lane = 2, .done = at(9), .pieces = {{at(10), 12, true}, {at(11), 0, false}}},
                {.lane_count = 10, .lane = 9, .done = at(8), .pieces = {}}}};
  EXPECT_EQ(decode_checkpoint(encode_checkpoint(checkpoint)), checkpoint);
  EXPECT_EQ(decode_checkpoint(encode_checkpoint({})), Checkpoint{});
}

TEST(Checkpoint, IsRefusedWhenDamagedOrOfANewerFormat) {
  std::string bytes = encode_checkpoint({.done = at(1), .lanes = {{.lane_count = 2, .lane = 1, .done = at(2)}}});
  EXPECT_FALSE(decode_checkpoint(bytes + "x"));
  EXPECT_FALSE(decode_checkpoint(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(decode_checkpoint(""));
  ++bytes.front();
  EXPECT_FALSE(decode_checkpoint(bytes));
  EXPECT_FALSE(decode_checkpoint(encode_checkpoint({.lanes = {{.lane_count = 2, .lane = 2}}})));
}

std::string written_before_lanes(uint32_t attempts) {
  std::string bytes;
  base::append_u8(bytes, 1);
  base::append_u64(bytes, 7);
  base::append_u32(bytes, 3);
  base::append_u32(bytes, attempts);
  base::append_u64(bytes, 9);
  base::append_u32(bytes, 1);
  base::append_u8(bytes, 0);
  return bytes;
}

TEST(Checkpoint, IsReadInTheFormatBeforeThis) {
  const auto calm = decode_checkpoint(written_before_lanes(0));
  ASSERT_TRUE(calm);
  EXPECT_EQ(*calm, (Checkpoint{.done = {{7}, 3}}));
  const auto failing = decode_checkpoint(written_before_lanes(4));
  ASSERT_TRUE(failing);
  EXPECT_EQ(
      *failing,
      (Checkpoint{
          .done = {{7}, 3},
          .lanes = {{.lane_count = 1, .lane = 0, .done = {{7}, 3}, .pieces = {{.last = {{9}, 1}, .attempts = 4}}}}}));
}

TEST(Checkpoint, IsReadInTheFormatThatKnewNoIncarnation) {
  const Checkpoint checkpoint{.done = at(7), .shard_finished = true, .lanes = {{.lane_count = 2, .lane = 1, .done = at(9)}}};
  std::string bytes = encode_checkpoint(checkpoint);
  std::string incarnation;
  base::append_string(incarnation, "");
  bytes.resize(bytes.size() - incarnation.size());
  bytes.front() = 2;
  EXPECT_EQ(decode_checkpoint(bytes), checkpoint);
}

TEST(Checkpoint, KnowsWhatALaneHasFinishedBeyondTheOthers) {
  const std::string key = "a";
  const uint8_t lane = lane_of(key, 4);
  const auto ahead = static_cast<uint8_t>((lane + 1) % 4);
  const Checkpoint of_the_key{.done = at(5), .lanes = {{.lane_count = 4, .lane = lane, .done = at(8)}}};
  const Checkpoint of_others{.done = at(5), .lanes = {{.lane_count = 4, .lane = ahead, .done = at(8)}}};
  EXPECT_TRUE(of_others.is_finished(at(5), key));
  EXPECT_FALSE(of_others.is_finished(at(6), key));
  EXPECT_TRUE(of_the_key.is_finished(at(8), key));
  EXPECT_FALSE(of_the_key.is_finished(at(9), key));
}

// Checkpoints on disk depend on it.
TEST(Lanes, AreTheSameInEveryVersion) {
  EXPECT_EQ(lane_of("", 10), 5);
  EXPECT_EQ(lane_of("a", 10), 4);
  EXPECT_EQ(lane_of("order-17", 7), 3);
  EXPECT_EQ(lane_of("anything", 1), 0);
}

TEST(Lanes, ShareTheKeysEvenly) {
  std::map<uint8_t, int> keys;
  for (int i = 0; i < 10'000; ++i) ++keys[lane_of("key-" + std::to_string(i), 10)];
  ASSERT_EQ(keys.size(), 10u);
  for (const auto& [lane, count] : keys) EXPECT_NEAR(count, 1000, 150) << int{lane};
}

TEST(BatchPieces, AHalvedBatchIsTwoPiecesThatWereNeverTried) {
  BatchPieces pieces = {{.last = at(8), .attempts = 2}};
  halve(pieces, at(4), at(8));
  EXPECT_EQ(pieces, (BatchPieces{{.last = at(4)}, {.last = at(8)}}));
  halve(pieces, at(2), at(4));
  EXPECT_EQ(pieces, (BatchPieces{{.last = at(2)}, {.last = at(4)}, {.last = at(8)}}));
}

TEST(BatchPieces, ASmallerBatchTakesItsAttemptsAlongAndLeavesTheRestUntried) {
  BatchPieces pieces = {{.last = at(8), .attempts = 2}, {.last = at(9)}};
  EXPECT_EQ(piece_for(pieces, at(3)).attempts, 2u);
  EXPECT_EQ(pieces, (BatchPieces{{.last = at(3), .attempts = 2}, {.last = at(8)}, {.last = at(9)}}));
}

TEST(BatchPieces, GoWhenTheyAreFinished) {
  BatchPieces pieces = {{.last = at(3), .attempts = 2}, {.last = at(8)}};
  finish(pieces, at(2), false);
  EXPECT_EQ(pieces, (BatchPieces{{.last = at(3), .attempts = 2}, {.last = at(8)}}));
  finish(pieces, at(2), true);
  EXPECT_EQ(pieces, (BatchPieces{{.last = at(3)}, {.last = at(8)}}));
  finish(pieces, at(3), true);
  EXPECT_EQ(pieces, (BatchPieces{{.last = at(8)}}));
}

TEST(BatchPieces, WhatAFunctionLeavesHasAllItsAttemptsBeforeIt) {
  BatchPieces pieces = {{.last = at(8), .attempts = 2, .reported = true}};
  keep_rest(pieces, at(8));
  EXPECT_EQ(pieces, (BatchPieces{{.last = at(8)}}));
  BatchPieces none;
  keep_rest(none, at(5));
  EXPECT_EQ(none, (BatchPieces{{.last = at(5)}}));
}

}  // namespace
}  // namespace tidemill::engine
