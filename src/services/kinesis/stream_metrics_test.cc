// The metrics of streams, and of shards where enhanced monitoring is on.
#include "services/kinesis/testing.h"

namespace tidemill::kinesis {
namespace {

using testing::World;
using Metrics = std::map<std::string, std::string>;

std::string at(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? "" : found->second;
}

TEST(StreamMetricsTest, WhatComesInAndGoesOutIsCounted) {
  World world;
  world.create_stream("s", 1);
  (void)world.put("s", "key", "four");
  world.advance(std::chrono::seconds(3));
  (void)world.run("PutRecords", World::of_stream("s", base::cat("\"Records\":[{", world.put_members("k", "a"), "},{",
                                                                world.put_members("k", "bc"), "}]")));
  const auto iterator = world.iterator("s", World::shard_id(0), "TRIM_HORIZON");
  EXPECT_EQ(world.page(iterator, "\"Limit\":2").data.size(), 2u);
  const Metrics metrics = world.measured("AWS/Kinesis");
  EXPECT_EQ(at(metrics, "IncomingRecords s"), "3 of 2");
  EXPECT_EQ(at(metrics, "IncomingBytes s"), "12 of 2");
  EXPECT_EQ(at(metrics, "WriteProvisionedThroughputExceeded s"), "0 of 2");
  EXPECT_EQ(at(metrics, "PutRecord.Bytes s"), "7 of 1");
  EXPECT_EQ(at(metrics, "PutRecord.Success s"), "1 of 1");
  EXPECT_EQ(at(metrics, "PutRecords.TotalRecords s"), "2 of 1");
  EXPECT_EQ(at(metrics, "PutRecords.SuccessfulRecords s"), "2 of 1");
  EXPECT_EQ(at(metrics, "GetRecords.Records s"), "2 of 1");
  EXPECT_EQ(at(metrics, "GetRecords.Bytes s"), "9 of 1");
  EXPECT_EQ(at(metrics, "GetRecords.IteratorAgeMilliseconds s"), "1 of 1") << "a record is left";
  EXPECT_EQ(at(metrics, "IncomingBytes s/shardId-000000000000"), "") << "its monitoring is off";
}

TEST(StreamMetricsTest, RecordsThatAreTurnedAwayAreCounted) {
  World world(1, store::SimFaults::none(), true);
  world.create_stream("s", 1);
  std::string records;
  for (int i = 0; i < 500; ++i) records += base::cat(i ? "," : "", "{", world.put_members("k", "a"), "}");
  for (int i = 0; i < 3; ++i) (void)world.run("PutRecords", World::of_stream("s", base::cat("\"Records\":[", records, "]")));
  const Metrics metrics = world.measured("AWS/Kinesis");
  EXPECT_EQ(at(metrics, "WriteProvisionedThroughputExceeded s"), "500 of 3");
  EXPECT_EQ(at(metrics, "PutRecords.ThrottledRecords s"), "500 of 3");
  EXPECT_EQ(at(metrics, "IncomingRecords s"), "1000 of 3");
}

TEST(StreamMetricsTest, ShardsAreMeasuredAsEnhancedMonitoringSays) {
  World world;
  world.create_stream("s", 2);
  (void)world.run("EnableEnhancedMonitoring",
                  World::of_stream("s", R"("ShardLevelMetrics":["IncomingRecords","OutgoingBytes"])"));
  (void)world.run("PutRecords",
                  World::of_stream("s", base::cat("\"Records\":[{", world.put_members("a", "x"), R"(,"ExplicitHashKey":"0"},{)",
                                                  world.put_members("a", "y"), R"(,"ExplicitHashKey":"1"}])")));
  EXPECT_EQ(world.read("s", World::shard_id(0)).size(), 2u);
  const Metrics metrics = world.measured("AWS/Kinesis");
  EXPECT_EQ(at(metrics, "IncomingRecords s/shardId-000000000000"), "2 of 1");
  EXPECT_EQ(at(metrics, "IncomingRecords s/shardId-000000000001"), "");
  EXPECT_EQ(at(metrics, "OutgoingBytes s/shardId-000000000000"), "4 of 1");
  EXPECT_EQ(at(metrics, "IncomingBytes s/shardId-000000000000"), "");
}

}  // namespace
}  // namespace tidemill::kinesis
