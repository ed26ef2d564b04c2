// Data streams as event source mappings read them.
#include "services/kinesis/stream_source.h"

#include "engine/mappings/mapping.h"
#include "services/kinesis/testing.h"
#include "services/kinesis/testing_aggregation.h"
#include "services/kinesis/user_record_position.h"
#include "store/position.h"

namespace tidemill::kinesis {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::aggregated;
using testing::Put;
using testing::text_at;
using testing::World;

constexpr const char* kRole = "arn:aws:iam::000000000000:role/reader";
constexpr std::string_view kMiddle = "170141183460469231731687303715884105728";

class KinesisSourceTest : public ::testing::Test {
 protected:
  void SetUp() override { world.create_stream("s", 1); }

  std::vector<engine::StreamRecord> read(store::Position after = {}, size_t count = 1000, size_t bytes = 1 << 20,
                                         int shard = 0) {
    return world.await(source.read(mapping, World::shard_id(shard), after, count, bytes));
  }
  // The data of records, of all that are there unless told.
  std::vector<std::string> data(std::vector<engine::StreamRecord> records) {
    std::vector<std::string> texts;
    for (const engine::StreamRecord& record : records) {
      texts.push_back(*base::base64_decode(text_at(*json::parse(record.event_json)->find("kinesis"), "data")));
    }
    return texts;
  }
  std::string register_consumer() {
    const json::Value answer = world.ask(
        "RegisterStreamConsumer", R"({"StreamARN":")" + World::arn("s") + R"(","ConsumerName":"c"})");
    return text_at(*answer.find("Consumer"), "ConsumerARN");
  }
  void split(int shard) {
    world.run("SplitShard", World::of_stream("s", base::cat(R"("ShardToSplit":")", World::shard_id(shard),
                                                            R"(","NewStartingHashKey":")", kMiddle, "\"")));
    world.settle();
  }
  uint64_t foreign_records() {
    return world.metrics.counter("tidemill_kinesis_foreign_user_records_total", "").value();
  }

  World world;
  KinesisStreamSource source{*world.service, world.metrics,
                             [](const std::string&) { return Task<std::string>::ready(kRole); }};
  engine::Mapping mapping{.uuid = "u",
                          .region = "us-east-1",
                          .event_source_arn = World::arn("s"),
                          .function_arn = "arn:aws:lambda:us-east-1:000000000000:function:f"};
};

TEST_F(KinesisSourceTest, AFunctionGetsARecordAsOnAws) {
  world.advance(987'654us);
  const Put put = world.put("s", "key \\\"1\\\"", "hello");
  const auto records = read();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].sequence_number, put.sequence_number);
  EXPECT_EQ(records[0].event_json,
            R"({"kinesis":{"kinesisSchemaVersion":"1.0","partitionKey":"key \"1\"","sequenceNumber":")" +
                put.sequence_number +
                R"(","data":"aGVsbG8=","approximateArrivalTimestamp":1773446400.987},"eventSource":"aws:kinesis",)"
                R"("eventVersion":"1.0","eventID":"shardId-000000000000:)" + put.sequence_number +
                R"(","eventName":"aws:kinesis:record","invokeIdentityArn":")" + kRole +
                R"(","awsRegion":"us-east-1","eventSourceARN":")" + World::arn("s") + R"("})");
}

TEST_F(KinesisSourceTest, ReadingGoesOnBehindAPositionWithinItsLimits) {
  for (const std::string text : {"1", "2", "3", "4"}) world.put("s", "k", text);
  const auto first = read({}, 3);
  EXPECT_THAT(data(first), ElementsAre("1", "2", "3"));
  EXPECT_THAT(data(read(first[1].position)), ElementsAre("3", "4"));
  EXPECT_THAT(data(read({}, 1000, 1)), ElementsAre("1"));
  EXPECT_THAT(read(read().back().position), ElementsAre());
}

// Where a checkpoint stands that must not pass the record.
TEST_F(KinesisSourceTest, ReadingGoesOnRightBeforeARecord) {
  world.put("s", "k", "0");
  world.put("s", "k", aggregated({{"a", "1"}, {"b", "2"}}));
  world.put("s", "k", "3");
  const auto records = read();
  ASSERT_EQ(records.size(), 4u);
  for (size_t i = 0; i < records.size(); ++i) {
    const auto rest = read(store::before(records[i].position));
    ASSERT_EQ(rest.size(), records.size() - i);
    EXPECT_EQ(rest.front().position, records[i].position);
  }
  EXPECT_EQ(records[0].ordering_key, "k");
  EXPECT_EQ(records[2].ordering_key, "b");
}

TEST_F(KinesisSourceTest, LatestIsBehindWhatIsThere) {
  world.put("s", "k", "before");
  const store::Position latest = world.await(source.latest(World::arn("s"), World::shard_id(0)));
  world.put("s", "k", "after");
  EXPECT_THAT(data(read(latest)), ElementsAre("after"));
}

TEST_F(KinesisSourceTest, AnAggregatedRecordComesAsItsUserRecords) {
  world.put("s", "k", "plain");
  const Put put = world.put("s", "agg", aggregated({{"a", "1"}, {"b", "2"}, {"c", "3"}}));
  world.put("s", "k", "last");
  const auto records = read();
  EXPECT_THAT(data(records), ElementsAre("plain", "1", "2", "3", "last"));
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(records[i].sequence_number, put.sequence_number);
  EXPECT_THAT(records[2].event_json, HasSubstr(R"("partitionKey":"b")"));
  EXPECT_THAT(records[2].event_json, HasSubstr(R"("eventID":"shardId-000000000000:)" + put.sequence_number));
}

TEST_F(KinesisSourceTest, ReadingGoesOnWithinAnAggregatedRecord) {
  world.put("s", "k", "plain");
  world.put("s", "agg", aggregated({{"a", "1"}, {"b", "2"}, {"c", "3"}}));
  world.put("s", "k", "last");
  const auto records = read();
  EXPECT_THAT(data(read(records[0].position)), ElementsAre("1", "2", "3", "last"));
  EXPECT_THAT(data(read(records[1].position)), ElementsAre("2", "3", "last"));
  EXPECT_THAT(data(read(records[2].position, 1)), ElementsAre("3"));
  EXPECT_THAT(data(read(records[3].position)), ElementsAre("last"));
  EXPECT_THAT(data(read({}, 3)), ElementsAre("plain", "1", "2"));
  EXPECT_TRUE(std::ranges::is_sorted(records, {}, &engine::StreamRecord::position));
}

TEST_F(KinesisSourceTest, WhatIsNoWholeAggregateComesAsItIs) {
  std::string damaged = aggregated({{"a", "1"}});
  damaged.back() ^= 1;
  world.put("s", "k", damaged);
  EXPECT_THAT(data(read()), ElementsAre(damaged));
}

// A producer that did not know of a resharding puts records of both children into one.
TEST_F(KinesisSourceTest, AConsumersMappingLeavesOutUserRecordsOfOtherShardsAndCountsThem) {
  split(0);
  world.put("s", "a", aggregated({{"a", "mine"}, {"b", "foreign"}, {"a", "mine too"}, {"b", "foreign again"}}));
  EXPECT_THAT(data(read({}, 10, 1 << 20, 1)), ElementsAre("mine", "foreign", "mine too", "foreign again"));
  EXPECT_EQ(foreign_records(), 0u);
  mapping.event_source_arn = register_consumer();
  for (int i = 0; i < 2; ++i) EXPECT_THAT(data(read({}, 10, 1 << 20, 1)), ElementsAre("mine", "mine too"));
  EXPECT_EQ(foreign_records(), 2u) << "once each";
}

TEST_F(KinesisSourceTest, ShardsAreListedWithTheirParents) {
  split(0);
  world.run("MergeShards", World::of_stream("s", base::cat(R"("ShardToMerge":")", World::shard_id(1),
                                                           R"(","AdjacentShardToMerge":")", World::shard_id(2), "\"")));
  world.settle();
  std::string listed;
  for (const auto& shard : world.await(source.shards(World::arn("s")))) {
    listed += shard.shard_id.back();
    for (const std::string& parent : shard.parents) listed += std::string("<") + parent.back();
    listed += shard.closed ? "." : " ";
  }
  EXPECT_EQ(listed, "0.1<0.2<0.3<1<2 ");
}

TEST_F(KinesisSourceTest, AShardIsWatchedForRecordsAndItsEnd) {
  world.await(source.shards(World::arn("s")));
  int woken = 0;
  const auto watch = source.watch_shard(World::arn("s"), World::shard_id(0), [&] { ++woken; });
  world.put("s", "k", "1");
  world.settle();
  EXPECT_EQ(woken, 1);
  split(0);
  EXPECT_EQ(woken, 2);
}

TEST_F(KinesisSourceTest, TheListOfShardsIsWatchedWithTheConsumersEnd) {
  const std::string consumer = register_consumer();
  int of_stream = 0;
  int of_consumer = 0;
  const auto first = source.watch_shards(World::arn("s"), [&] { ++of_stream; });
  const auto second = source.watch_shards(consumer, [&] { ++of_consumer; });
  split(0);
  EXPECT_GE(of_stream, 1);
  EXPECT_EQ(of_stream, of_consumer);
  world.run("DeregisterStreamConsumer", R"({"ConsumerARN":")" + consumer + "\"}");
  world.settle();
  EXPECT_EQ(of_consumer, of_stream + 1);
}

TEST_F(KinesisSourceTest, AStreamOrConsumerThatIsGoneHasNothing) {
  const std::string consumer = register_consumer();
  EXPECT_TRUE(source.owns(consumer));
  EXPECT_TRUE(world.await(source.exists(consumer)));
  EXPECT_TRUE(world.await(source.exists(World::arn("s"))));
  EXPECT_FALSE(world.await(source.exists(World::arn("t"))));
  EXPECT_FALSE(world.await(source.exists(consumer + "0")));
  world.run("DeregisterStreamConsumer", R"({"ConsumerARN":")" + consumer + "\"}");
  EXPECT_FALSE(world.await(source.exists(consumer)));
  EXPECT_THAT(world.await(source.shards(consumer)), ElementsAre());
  EXPECT_FALSE(source.owns("arn:aws:dynamodb:us-east-1:000000000000:table/t"));
}

TEST_F(KinesisSourceTest, WhatIsPastTheStreamsRetentionIsNotRead) {
  world.put("s", "k", "old");
  world.run("IncreaseStreamRetentionPeriod", World::of_stream("s", R"("RetentionPeriodHours":48)"));
  world.await(source.shards(World::arn("s")));
  EXPECT_EQ(source.retention(World::arn("s")), 48h);
  world.advance(47h);
  world.put("s", "k", "new");
  EXPECT_THAT(data(read()), ElementsAre("old", "new"));
  world.advance(2h);
  EXPECT_THAT(data(read()), ElementsAre("new"));
}

TEST(UserRecordPositionTest, PositionsAreInTheOrderOfTheLogAndOfWhatIsInARecord) {
  const store::Position record{{7}, 3};
  const UserRecordPosition first{.log = record, .user_record = 0};
  const UserRecordPosition last{.log = record};
  EXPECT_LT(first.encode(), last.encode());
  EXPECT_LT(last.encode(), (UserRecordPosition{.log = {{7}, 4}, .user_record = 0}).encode());
  EXPECT_EQ(UserRecordPosition::decode(last.encode()).log, record);
  EXPECT_TRUE(UserRecordPosition::decode(last.encode()).is_last());
  EXPECT_THROW((void)(UserRecordPosition{.log = {{7}, kCommitIndexMax + 1}}.encode()), std::logic_error);
}

}  // namespace
}  // namespace tidemill::kinesis
