// The metrics of tables.
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using testing::World;
using Metrics = std::map<std::string, std::string>;

std::string at(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? "" : found->second;
}

// "1" of "0.25 of 1".
std::string count_of(const std::string& text) { return text.substr(text.rfind(' ') + 1); }

TEST(TableMetricsTest, RequestsAndWhatTheyConsumeAreCounted) {
  World world;
  world.create_table("Tab");
  (void)world.put(R"({"k":{"S":"a"},"x":{"S":")" + std::string(1500, 'x') + R"("}})");
  (void)world.put(R"({"k":{"S":"b"}})");
  (void)world.run("GetItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}}})");
  (void)world.run("Scan", R"({"TableName":"Tab","ConsistentRead":true})");
  (void)world.run("BatchWriteItem", R"({"RequestItems":{"Tab":[{"DeleteRequest":{"Key":{"k":{"S":"b"}}}}]}})");
  const Metrics metrics = world.measured("AWS/DynamoDB");
  EXPECT_EQ(at(metrics, "ConsumedWriteCapacityUnits Tab"), "4 of 3");
  EXPECT_EQ(at(metrics, "ConsumedReadCapacityUnits Tab"), "1.5 of 2");
  EXPECT_EQ(at(metrics, "ReturnedItemCount Tab/Scan"), "2 of 1");
  EXPECT_EQ(count_of(at(metrics, "SuccessfulRequestLatency Tab/PutItem")), "2");
  EXPECT_EQ(count_of(at(metrics, "SuccessfulRequestLatency Tab/GetItem")), "1");
  EXPECT_EQ(count_of(at(metrics, "SuccessfulRequestLatency Tab/BatchWriteItem")), "1");
  EXPECT_EQ(at(metrics, "ConditionalCheckFailedRequests Tab"), "");
}

TEST(TableMetricsTest, ConditionsThatFailAndItemsThatExpireAreCounted) {
  World world;
  world.create_table("Tab");
  (void)world.run("UpdateTimeToLive",
                  R"({"TableName":"Tab","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"t"}})");
  (void)world.put(base::cat(R"({"k":{"S":"a"},"t":{"N":")",
                            std::chrono::floor<std::chrono::seconds>(world.clock.now()).time_since_epoch().count() + 60,
                            "\"}}"));
  (void)world.run("PutItem", R"-({"TableName":"Tab","Item":{"k":{"S":"a"}},)-"
                             R"-("ConditionExpression":"attribute_not_exists(k)"})-");
  EXPECT_EQ(at(world.measured("AWS/DynamoDB"), "ConditionalCheckFailedRequests Tab"), "1 of 1");
  world.advance(std::chrono::minutes(2));
  EXPECT_EQ(at(world.measured("AWS/DynamoDB"), "TimeToLiveDeletedItemCount Tab"), "1 of 1");
}

TEST(TableMetricsTest, WhatIsThrottledIsCounted) {
  World world(1, store::SimFaults::none(), {.throttle = true});
  (void)world.run("CreateTable", R"({"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],)"
                                 R"("KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],)"
                                 R"("ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}})");
  for (int i = 0; i < 302; ++i) (void)world.put(R"({"k":{"S":"a"}})");
  const Metrics metrics = world.measured("AWS/DynamoDB");
  EXPECT_EQ(at(metrics, "ThrottledRequests Tab/PutItem"), "2 of 2");
  EXPECT_EQ(at(metrics, "WriteThrottleEvents Tab"), "2 of 2");
  EXPECT_EQ(at(metrics, "ConsumedWriteCapacityUnits Tab"), "300 of 300");
}

}  // namespace
}  // namespace tidemill::dynamodb
