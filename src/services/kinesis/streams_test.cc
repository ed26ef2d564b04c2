// Streams from their creation to their end, and what can be set on them.
#include "services/kinesis/testing.h"

namespace tidemill::kinesis {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::text_at;
using testing::World;

constexpr std::string_view kNotFound = "ResourceNotFoundException: Stream s under account 000000000000 not found.";

json::Value summary(World& world, std::string_view stream) {
  return *world.ask("DescribeStreamSummary", World::of_stream(stream)).find("StreamDescriptionSummary");
}

TEST(StreamsTest, AStreamIsCreatingAndThenActive) {
  World world;
  EXPECT_EQ(world.run("CreateStream", World::of_stream("s", "\"ShardCount\":2")), "{}");
  EXPECT_EQ(world.status("s"), "CREATING");
  world.settle();
  EXPECT_EQ(world.status("s"), "ACTIVE");
  EXPECT_EQ(text_at(summary(world, "s"), "OpenShardCount"), "2");
  EXPECT_EQ(text_at(summary(world, "s"), "EncryptionType"), "NONE");
  EXPECT_THAT(world.run("CreateStream", World::of_stream("s", "\"ShardCount\":2")),
              HasSubstr("ResourceInUseException: Stream s under account 000000000000 already exists."));
}

TEST(StreamsTest, ACrashDoesNotKeepAStreamFromBecomingActive) {
  World world;
  EXPECT_EQ(world.run("CreateStream", World::of_stream("s", "\"ShardCount\":1")), "{}");
  world.crash();
  world.settle();
  EXPECT_EQ(world.status("s"), "ACTIVE");
}

TEST(StreamsTest, AStreamOnDemandHasFourShards) {
  World world;
  world.run("CreateStream", World::of_stream("s"));
  world.run("CreateStream", World::of_stream("t", R"("StreamModeDetails":{"StreamMode":"ON_DEMAND"})"));
  world.settle();
  for (const char* name : {"s", "t"}) {
    EXPECT_EQ(world.shard_numbers(name), "0 1 2 3");
    EXPECT_EQ(text_at(*summary(world, name).find("StreamModeDetails"), "StreamMode"), "ON_DEMAND");
  }
  EXPECT_THAT(world.run("CreateStream", World::of_stream("u", R"("StreamModeDetails":{"StreamMode":"PROVISIONED"})")),
              HasSubstr("ValidationException"));
}

TEST(StreamsTest, AStreamTakesNoRecordsBeforeItIsActive) {
  World world;
  world.run("CreateStream", World::of_stream("s", "\"ShardCount\":1"));
  EXPECT_EQ(world.status("s"), "CREATING");
  EXPECT_EQ(world.run("PutRecord", World::of_stream("s", world.put_members("k", "a"))), kNotFound);
  world.settle();
  EXPECT_EQ(world.put("s", "k", "a").shard, World::shard_id(0));
}

TEST(StreamsTest, AStreamOnDemandGrowsWithItsLoad) {
  World world;
  world.run("CreateStream", World::of_stream("s"));
  world.settle();
  const std::string half_mib = std::string(512 << 10, 'x');
  const auto load = [&](int mib) {
    for (int i = 0; i < 2 * mib; ++i) (void)world.put("s", "key", half_mib);
  };
  load(110);  // in a minute: four shards are for double of that
  world.advance(60s);
  load(1);
  world.settle();
  EXPECT_EQ(text_at(summary(world, "s"), "OpenShardCount"), "4");
  load(180);  // 3 MiB a second
  world.advance(60s);
  load(1);
  world.settle();
  EXPECT_EQ(world.status("s"), "ACTIVE");
  EXPECT_EQ(text_at(summary(world, "s"), "OpenShardCount"), "7") << "a little more than 3 MiB a second, twice";
  world.advance(60s);
  load(1);
  EXPECT_EQ(text_at(summary(world, "s"), "OpenShardCount"), "7") << "it does not shrink";
}

TEST(StreamsTest, ShardsDivideTheHashKeys) {
  World world;
  world.create_stream("s", 3);
  const json::Array shards = world.shards("s");
  ASSERT_EQ(shards.size(), 3u);
  EXPECT_EQ(text_at(*shards[0].find("HashKeyRange"), "StartingHashKey"), "0");
  EXPECT_EQ(text_at(*shards[0].find("HashKeyRange"), "EndingHashKey"), "113427455640312821154458202477256070484");
  EXPECT_EQ(text_at(*shards[2].find("HashKeyRange"), "EndingHashKey"), "340282366920938463463374607431768211455");
  EXPECT_EQ(text_at(*shards[0].find("SequenceNumberRange"), "EndingSequenceNumber"), "");
}

TEST(StreamsTest, ADescriptionIsPaged) {
  World world;
  world.create_stream("s", 3);
  const json::Value first =
      *world.ask("DescribeStream", World::of_stream("s", "\"Limit\":2")).find("StreamDescription");
  EXPECT_EQ(first.find("Shards")->array().size(), 2u);
  EXPECT_EQ(text_at(first, "HasMoreShards"), "true");
  const json::Value rest =
      *world.ask("DescribeStream", World::of_stream("s", R"("ExclusiveStartShardId":"shardId-000000000001")"))
           .find("StreamDescription");
  EXPECT_EQ(rest.find("Shards")->array().size(), 1u);
  EXPECT_EQ(text_at(rest, "HasMoreShards"), "false");
}

TEST(StreamsTest, StreamsAreListedByNameAndPaged) {
  World world;
  for (const char* name : {"b", "a", "c"}) world.create_stream(name, 1);
  const json::Value first = world.ask("ListStreams", R"({"Limit":2})");
  EXPECT_EQ(text_at(first, "StreamNames"), R"(["a","b"])");
  EXPECT_EQ(text_at(first, "HasMoreStreams"), "true");
  EXPECT_EQ(first.find("StreamSummaries")->array().size(), 2u);
  EXPECT_EQ(text_at(world.ask("ListStreams", R"({"ExclusiveStartStreamName":"b"})"), "StreamNames"), R"(["c"])");
  const std::string next = base::cat(R"({"NextToken":")", text_at(first, "NextToken"), "\"}");
  EXPECT_EQ(text_at(world.ask("ListStreams", next), "StreamNames"), R"(["c"])");
  world.advance(300s);
  EXPECT_THAT(world.run("ListStreams", next), HasSubstr("ExpiredNextTokenException"));
}

TEST(StreamsTest, ADeletedStreamIsGoneWithItsRecords) {
  World world;
  world.create_stream("s", 1);
  world.put("s", "k", "old");
  const std::string iterator = world.iterator("s", World::shard_id(0), "TRIM_HORIZON");
  EXPECT_EQ(world.run("DeleteStream", World::of_stream("s")), "{}");
  EXPECT_EQ(world.status("s"), "DELETING");
  world.settle();
  EXPECT_EQ(world.run("DescribeStreamSummary", World::of_stream("s")), kNotFound);
  world.create_stream("s", 1);
  EXPECT_TRUE(world.read("s", World::shard_id(0)).empty());
  EXPECT_THAT(world.run("GetRecords", base::cat(R"({"ShardIterator":")", iterator, "\"}")),
              HasSubstr("ResourceNotFoundException"));
}

TEST(StreamsTest, AStreamWithConsumersIsDeletedOnlyIfThatIsWanted) {
  World world;
  world.create_stream("s", 1);
  world.run("RegisterStreamConsumer", base::cat(R"({"StreamARN":")", World::arn("s"), R"(","ConsumerName":"c"})"));
  EXPECT_THAT(world.run("DeleteStream", World::of_stream("s")), HasSubstr("ResourceInUseException"));
  EXPECT_EQ(world.run("DeleteStream", World::of_stream("s", R"("EnforceConsumerDeletion":true)")), "{}");
  world.settle();
  world.create_stream("s", 1);
  EXPECT_EQ(text_at(summary(world, "s"), "ConsumerCount"), "0");
}

TEST(StreamsTest, AStreamIsNamedByItsArnToo) {
  World world;
  world.create_stream("s", 1);
  const std::string body = base::cat(R"({"StreamARN":")", World::arn("s"), "\"}");
  EXPECT_THAT(world.run("DescribeStreamSummary", body), HasSubstr("ACTIVE"));
  EXPECT_THAT(world.run("DescribeStreamSummary", "{}"), HasSubstr("InvalidArgumentException"));
  EXPECT_THAT(
      world.run("DescribeStreamSummary", base::cat(R"({"StreamName":"t","StreamARN":")", World::arn("s"), "\"}")),
      HasSubstr("InvalidArgumentException"));
  EXPECT_THAT(world.run("DescribeStreamSummary", R"({"StreamARN":"arn:aws:kinesis:us-east-1:999999999999:stream/s"})"),
              HasSubstr("ResourceNotFoundException"));
}

TEST(StreamsTest, RetentionIsSetWithinItsBounds) {
  World world;
  world.create_stream("s", 1);
  const auto set = [&](std::string_view operation, int hours) {
    const std::string answer =
        world.run(operation, World::of_stream("s", base::cat("\"RetentionPeriodHours\":", hours)));
    world.settle();
    return answer;
  };
  EXPECT_EQ(set("IncreaseStreamRetentionPeriod", 48), "{}");
  EXPECT_EQ(text_at(summary(world, "s"), "RetentionPeriodHours"), "48");
  EXPECT_THAT(set("IncreaseStreamRetentionPeriod", 24), HasSubstr("InvalidArgumentException"));
  EXPECT_THAT(set("IncreaseStreamRetentionPeriod", 8761), HasSubstr("InvalidArgumentException"));
  EXPECT_THAT(set("DecreaseStreamRetentionPeriod", 23), HasSubstr("InvalidArgumentException"));
  EXPECT_THAT(set("DecreaseStreamRetentionPeriod", 49), HasSubstr("InvalidArgumentException"));
  EXPECT_EQ(set("DecreaseStreamRetentionPeriod", 24), "{}");
}

TEST(StreamsTest, TheModeChangesTwiceADay) {
  World world;
  world.create_stream("s", 2);
  const auto set = [&](std::string_view mode) {
    const std::string answer = world.run(
        "UpdateStreamMode",
        base::cat(R"({"StreamARN":")", World::arn("s"), R"(","StreamModeDetails":{"StreamMode":")", mode, "\"}}"));
    world.settle();
    return answer;
  };
  EXPECT_EQ(set("ON_DEMAND"), "{}");
  EXPECT_EQ(world.shard_numbers("s"), "0 1");
  EXPECT_EQ(set("PROVISIONED"), "{}");
  EXPECT_THAT(set("ON_DEMAND"), HasSubstr("LimitExceededException"));
  world.advance(24h);
  EXPECT_EQ(set("ON_DEMAND"), "{}");
}

TEST(StreamsTest, EnhancedMonitoringIsKept) {
  World world;
  world.create_stream("s", 1);
  world.run("EnableEnhancedMonitoring",
            World::of_stream("s", R"("ShardLevelMetrics":["IncomingBytes","IncomingBytes"])"));
  const json::Value all =
      world.ask("EnableEnhancedMonitoring", World::of_stream("s", R"("ShardLevelMetrics":["ALL"])"));
  EXPECT_EQ(text_at(all, "CurrentShardLevelMetrics"), R"(["IncomingBytes"])");
  EXPECT_EQ(all.find("DesiredShardLevelMetrics")->array().size(), 7u);
  world.run("DisableEnhancedMonitoring", World::of_stream("s", R"("ShardLevelMetrics":["ALL"])"));
  EXPECT_EQ(text_at(summary(world, "s"), "EnhancedMonitoring"), R"([{"ShardLevelMetrics":[]}])");
}

TEST(StreamsTest, TagsOfStreamsAndConsumersAreKept) {
  World world;
  world.create_stream("s", 1);
  world.run("AddTagsToStream", World::of_stream("s", R"("Tags":{"a":"1","b":"2"})"));
  const json::Value first = world.ask("ListTagsForStream", World::of_stream("s", "\"Limit\":1"));
  EXPECT_EQ(text_at(first, "Tags"), R"([{"Key":"a","Value":"1"}])");
  EXPECT_EQ(text_at(first, "HasMoreTags"), "true");
  world.run("RemoveTagsFromStream", World::of_stream("s", R"("TagKeys":["a"])"));
  world.run("TagResource", base::cat(R"({"ResourceARN":")", World::arn("s"), R"(","Tags":{"c":"3"}})"));
  EXPECT_EQ(world.run("ListTagsForResource", base::cat(R"({"ResourceARN":")", World::arn("s"), "\"}")),
            R"({"Tags":[{"Key":"b","Value":"2"},{"Key":"c","Value":"3"}]})");

  const json::Value consumer =
      *world
           .ask("RegisterStreamConsumer",
                base::cat(R"({"StreamARN":")", World::arn("s"), R"(","ConsumerName":"c","Tags":{"x":"y"}})"))
           .find("Consumer");
  const std::string resource = base::cat(R"({"ResourceARN":")", text_at(consumer, "ConsumerARN"), "\"");
  EXPECT_EQ(world.run("ListTagsForResource", resource + "}"), R"({"Tags":[{"Key":"x","Value":"y"}]})");
  world.run("UntagResource", resource + R"(,"TagKeys":["x"]})");
  EXPECT_EQ(world.run("ListTagsForResource", resource + "}"), R"({"Tags":[]})");
  for (const std::string key : {"aws:x", "AWS:x"}) {
    const std::string refusal =
        base::cat("InvalidArgumentException: Tag key ", key, " begins with the reserved prefix aws:.");
    EXPECT_EQ(world.run("TagResource", base::cat(resource, R"(,"Tags":{")", key, R"(":"1"}})")), refusal);
    EXPECT_EQ(world.run("UntagResource", base::cat(resource, R"(,"TagKeys":[")", key, "\"]}")), refusal);
  }
}

TEST(StreamsTest, PoliciesAreKeptAndGoWithTheirStream) {
  World world;
  world.create_stream("s", 1);
  const std::string resource = base::cat(R"({"ResourceARN":")", World::arn("s"), "\"");
  EXPECT_EQ(world.run("GetResourcePolicy", resource + "}"), R"({"Policy":"{}"})") << "none yet";
  EXPECT_THAT(world.run("PutResourcePolicy", resource + R"(,"Policy":"{}"})"), HasSubstr("InvalidArgumentException"));
  const std::string policy =
      R"({\"Statement\":{\"Effect\":\"Allow\",\"Principal\":\"*\",\"Action\":\"kinesis:*\",\"Resource\":\"*\"}})";
  EXPECT_EQ(world.run("PutResourcePolicy", base::cat(resource, R"(,"Policy":")", policy, "\"}")), "{}");
  EXPECT_EQ(world.run("GetResourcePolicy", resource + "}"), base::cat(R"({"Policy":")", policy, "\"}"));
  EXPECT_EQ(world.run("DeleteResourcePolicy", resource + "}"), "{}");
  EXPECT_THAT(world.run("DeleteResourcePolicy", resource + "}"), HasSubstr("ResourceNotFoundException"));
}

TEST(StreamsTest, LimitsCountOpenShardsAndStreamsOnDemand) {
  World world;
  world.create_stream("s", 3);
  world.run("CreateStream", World::of_stream("t"));
  const json::Value limits = world.ask("DescribeLimits", "{}");
  EXPECT_EQ(text_at(limits, "OpenShardCount"), "3");
  EXPECT_EQ(text_at(limits, "OnDemandStreamCount"), "1");
  EXPECT_THAT(world.run("CreateStream", World::of_stream("u", "\"ShardCount\":9998")),
              HasSubstr("LimitExceededException: This request would exceed the shard limit"));
}

TEST(StreamsTest, WhatIsMissingIsRefusedByName) {
  World world;
  world.create_stream("s", 1);
  EXPECT_THAT(world.run("CreateStream", World::of_stream("t", R"("WarmThroughputMiBps":5)")),
              HasSubstr("WarmThroughputMiBps"));
  EXPECT_THAT(world.run("DescribeAccountSettings", "{}"), HasSubstr("DISABLED"));
}

}  // namespace
}  // namespace tidemill::kinesis
