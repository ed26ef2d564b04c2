// Splitting and merging shards, and what readers see of it.
#include "services/kinesis/resharding.h"

#include "base/processor_time.h"
#include "services/kinesis/testing.h"

namespace tidemill::kinesis {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Page;
using testing::Put;
using testing::text_at;
using testing::World;

constexpr std::string_view kMiddle = "170141183460469231731687303715884105728";

std::string split(World& world, int shard, std::string_view at) {
  const std::string answer =
      world.run("SplitShard", World::of_stream("s", base::cat(R"("ShardToSplit":")", World::shard_id(shard),
                                                              R"(","NewStartingHashKey":")", at, "\"")));
  world.settle();
  return answer;
}

std::string merge(World& world, int shard, int adjacent) {
  const std::string answer =
      world.run("MergeShards",
                World::of_stream("s", base::cat(R"("ShardToMerge":")", World::shard_id(shard),
                                                R"(","AdjacentShardToMerge":")", World::shard_id(adjacent), "\"")));
  world.settle();
  return answer;
}

TEST(ReshardingTest, AShardIsSplitInTwo) {
  World world;
  world.create_stream("s", 1);
  EXPECT_EQ(world.run("SplitShard", World::of_stream("s", base::cat(R"("ShardToSplit":"shardId-000000000000",)",
                                                                    R"("NewStartingHashKey":")", kMiddle, "\""))),
            "{}");
  world.settle();
  EXPECT_EQ(world.status("s"), "ACTIVE");
  const json::Array shards = world.shards("s");
  ASSERT_EQ(shards.size(), 3u);
  EXPECT_NE(text_at(*shards[0].find("SequenceNumberRange"), "EndingSequenceNumber"), "");
  EXPECT_EQ(text_at(shards[1], "ParentShardId"), World::shard_id(0));
  EXPECT_EQ(text_at(*shards[1].find("HashKeyRange"), "EndingHashKey"), "170141183460469231731687303715884105727");
  EXPECT_EQ(text_at(*shards[2].find("HashKeyRange"), "StartingHashKey"), kMiddle);
  EXPECT_EQ(world.put("s", "a", "x").shard, World::shard_id(1));
  EXPECT_EQ(world.put("s", "b", "x").shard, World::shard_id(2));
}

// Seventeen times within a second of the standing clock.
TEST(ReshardingTest, AChildsSequenceNumbersAreGreaterThanItsParents) {
  World world;
  world.create_stream("s", 1);
  HashKey at = kHashKeyMax / 2 + 1;
  for (int parent = 0; parent <= 32; parent += 2) {
    ASSERT_EQ(split(world, parent, hash_key_text(at)), "{}");
    at += (kHashKeyMax - at) / 2;
  }
  std::map<std::string, std::string> ends;
  for (const json::Value& shard : world.shards("s")) {
    const json::Value& numbers = *shard.find("SequenceNumberRange");
    const json::Value* end = numbers.find("EndingSequenceNumber");
    if (end) ends[text_at(shard, "ShardId")] = end->string();
    if (!shard.find("ParentShardId")) continue;
    EXPECT_GT(text_at(numbers, "StartingSequenceNumber"), ends.at(text_at(shard, "ParentShardId")))
        << text_at(shard, "ShardId");
  }
  EXPECT_EQ(ends.size(), 17u);
}

TEST(ReshardingTest, TheReaderOfAClosedShardIsToldItsChildren) {
  World world;
  world.create_stream("s", 1);
  world.put("s", "a", "1");
  const std::string iterator = world.iterator("s", World::shard_id(0), "TRIM_HORIZON");
  split(world, 0, kMiddle);
  const Page page = world.page(iterator);
  EXPECT_THAT(page.data, ElementsAre("1"));
  EXPECT_EQ(page.next, "");
  const json::Array& children = page.document.find("ChildShards")->array();
  ASSERT_EQ(children.size(), 2u);
  EXPECT_EQ(text_at(children[1], "ParentShards"), R"(["shardId-000000000000"])");
}

TEST(ReshardingTest, SplitsAreChecked) {
  World world;
  world.create_stream("s", 1);
  for (const char* at : {"0", "1", "340282366920938463463374607431768211455"}) {
    EXPECT_THAT(split(world, 0, at),
                HasSubstr("is not both greater than one plus the shard's StartingHashKey 0 and less "
                          "than the shard's EndingHashKey 340282366920938463463374607431768211455."));
  }
  EXPECT_THAT(split(world, 7, kMiddle),
              HasSubstr("ResourceNotFoundException: Could not find shard shardId-000000000007"));
  EXPECT_EQ(split(world, 0, kMiddle), "{}");
  EXPECT_THAT(split(world, 0, kMiddle), HasSubstr("InvalidArgumentException"));
}

TEST(ReshardingTest, TwoNeighboursAreMerged) {
  World world;
  world.create_stream("s", 3);
  EXPECT_THAT(merge(world, 0, 2), HasSubstr("are not an adjacent pair of shards eligible for merging"));
  EXPECT_THAT(merge(world, 1, 0), HasSubstr("are not an adjacent pair of shards eligible for merging")) << "inverted";
  EXPECT_EQ(merge(world, 0, 1), "{}");
  const json::Array shards = world.shards("s");
  ASSERT_EQ(shards.size(), 4u);
  EXPECT_EQ(text_at(shards[3], "ParentShardId"), World::shard_id(0));
  EXPECT_EQ(text_at(shards[3], "AdjacentParentShardId"), World::shard_id(1));
  EXPECT_EQ(text_at(*shards[3].find("HashKeyRange"), "StartingHashKey"), "0");
  const Page page = world.page(world.iterator("s", World::shard_id(0), "TRIM_HORIZON"));
  EXPECT_EQ(text_at(page.document.find("ChildShards")->array().front(), "ParentShards"),
            R"(["shardId-000000000000","shardId-000000000001"])");
}

TEST(ReshardingTest, AStreamOnDemandIsNotReshardedByHand) {
  World world;
  world.run("CreateStream", World::of_stream("s"));
  world.settle();
  EXPECT_THAT(split(world, 0, "5"), HasSubstr("ValidationException"));
  EXPECT_THAT(merge(world, 0, 1), HasSubstr("ValidationException"));
  EXPECT_THAT(
      world.run("UpdateShardCount", World::of_stream("s", R"("TargetShardCount":2,"ScalingType":"UNIFORM_SCALING")")),
      HasSubstr("ValidationException"));
}

TEST(ReshardingTest, WhatIsUpdatingIsNotReshardedAgain) {
  World world;
  world.create_stream("s", 2);
  const std::string body = World::of_stream("s", R"("TargetShardCount":4,"ScalingType":"UNIFORM_SCALING")");
  const auto first = world.start("UpdateShardCount", body);
  const auto second = world.start("UpdateShardCount", body);
  world.settle();
  // One of both came first, and the other found the stream changing or changed.
  EXPECT_NE(first->refused && second->refused, true);
  EXPECT_EQ(world.shard_numbers("s", R"("ShardFilter":{"Type":"AT_LATEST"})").size() > 6, true);
}

// All keys have one shard, ranges are equal, and parents are closed.
void expect_uniform(const Stream& stream, uint32_t count) {
  std::vector<const Shard*> open;
  for (const Shard& shard : stream.shards) {
    if (shard.is_open()) open.push_back(&shard);
    if (shard.parent) EXPECT_FALSE(stream.find(*shard.parent)->is_open());
    if (shard.adjacent_parent) EXPECT_FALSE(stream.find(*shard.adjacent_parent)->is_open());
  }
  std::ranges::sort(open, {}, &Shard::begin);
  ASSERT_EQ(open.size(), count);
  for (uint32_t i = 0; i < count; ++i) EXPECT_TRUE(open[i]->begin == uniform_start(i, count));
  EXPECT_TRUE(open.back()->end == kHashKeyMax);
}

// Every count from every other.
TEST(ReshardingTest, ShardsAreCountedAnewByAnyNumber) {
  for (uint32_t from = 1; from <= 9; ++from) {
    for (uint32_t to = 1; to <= 12; ++to) {
      SCOPED_TRACE(base::cat(from, " to ", to));
      Stream stream = make_stream({"000000000000", "us-east-1", "s"}, from, base::Time{});
      reshard_uniformly(stream, to, base::Time(1s));
      expect_uniform(stream, to);
    }
  }
}

// Billions of looks at shards, were each border looked for among all of them.
TEST(ReshardingTest, ManyShardsAreCountedAnewQuickly) {
  constexpr uint32_t kFrom = 40'000;
  constexpr uint32_t kTo = 56'001;
  Stream stream = make_stream({"000000000000", "us-east-1", "s"}, kFrom, base::Time{});
  const auto began = base::processor_time();
  reshard_uniformly(stream, kTo, base::Time(1s));
  EXPECT_LT(base::processor_time() - began, 5s);
  expect_uniform(stream, kTo);
}

TEST(ReshardingTest, TheShardCountIsAtMostDoubledAndAtLeastHalved) {
  World world;
  world.create_stream("s", 4);
  const auto set = [&](int count) {
    const std::string answer =
        world.run("UpdateShardCount",
                  World::of_stream("s", base::cat(R"("ScalingType":"UNIFORM_SCALING","TargetShardCount":)", count)));
    world.settle();
    return answer;
  };
  EXPECT_THAT(set(9), HasSubstr("InvalidArgumentException"));
  EXPECT_THAT(set(1), HasSubstr("InvalidArgumentException"));
  EXPECT_EQ(set(2), base::cat(R"({"StreamName":"s","CurrentShardCount":4,"TargetShardCount":2,"StreamARN":")",
                              World::arn("s"), "\"}"));
  EXPECT_EQ(world.shard_numbers("s", R"("ShardFilter":{"Type":"AT_LATEST"})"), "4 5");
}

TEST(ReshardingTest, ClosedShardsGoAfterTheRetention) {
  World world;
  world.create_stream("s", 1);
  world.put("s", "a", "1");
  world.advance(1h);
  split(world, 0, kMiddle);
  world.advance(24h - 1us);
  EXPECT_EQ(world.shard_numbers("s"), "0 1 2");
  world.advance(1us);
  EXPECT_EQ(world.shard_numbers("s"), "1 2");
  EXPECT_THAT(world.run("GetShardIterator",
                        World::of_stream("s", R"("ShardId":"shardId-000000000000","ShardIteratorType":"LATEST")")),
              HasSubstr("ResourceNotFoundException"));
}

TEST(ReshardingTest, ShardsAreListedByFilters) {
  World world;
  world.create_stream("s", 1);
  world.advance(1h);
  split(world, 0, kMiddle);  // at 1 h: 1 and 2
  world.advance(1h);
  merge(world, 1, 2);  // at 2 h: 3
  const auto filtered = [&](std::string_view filter) {
    return world.shard_numbers("s", base::cat(R"("ShardFilter":{"Type":)", filter, "}"));
  };
  EXPECT_EQ(filtered(R"("AT_LATEST")"), "3");
  EXPECT_EQ(filtered(R"("AT_TRIM_HORIZON")"), "0");
  EXPECT_EQ(filtered(R"("FROM_TRIM_HORIZON")"), "0 1 2 3");
  EXPECT_EQ(filtered(R"("AFTER_SHARD_ID","ShardId":"shardId-000000000001")"), "2 3");
  EXPECT_EQ(filtered(R"("AT_TIMESTAMP","Timestamp":1773451800)"), "1 2");  // 01:30
  EXPECT_EQ(filtered(R"("FROM_TIMESTAMP","Timestamp":1773451800)"), "1 2 3");
  EXPECT_EQ(filtered(R"("AT_TIMESTAMP","Timestamp":0)"), "0");
  EXPECT_THAT(world.run("ListShards", World::of_stream("s", R"("ShardFilter":{"Type":"AT_TIMESTAMP"})")),
              HasSubstr("InvalidArgumentException"));
}

TEST(ReshardingTest, ShardsArePagedByTokens) {
  World world;
  world.create_stream("s", 5);
  const json::Value first = world.ask("ListShards", World::of_stream("s", "\"MaxResults\":2"));
  EXPECT_EQ(first.find("Shards")->array().size(), 2u);
  const std::string next = base::cat(R"({"NextToken":")", text_at(first, "NextToken"), "\"}");
  EXPECT_EQ(world.ask("ListShards", next).find("Shards")->array().size(), 3u);
  EXPECT_THAT(
      world.run("ListShards", base::cat(R"({"StreamName":"s","NextToken":")", text_at(first, "NextToken"), "\"}")),
      HasSubstr("InvalidArgumentException"));
  world.advance(300s);
  EXPECT_THAT(world.run("ListShards", next), HasSubstr("ExpiredNextTokenException"));
}

}  // namespace
}  // namespace tidemill::kinesis
