// BatchWriteItem and BatchGetItem, asked as clients ask them.
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::World;

std::string put(std::string_view key) { return R"({"PutRequest":{"Item":{"k":{"S":")" + std::string(key) + R"("}}}})"; }
std::string erase(std::string_view key) {
  return R"({"DeleteRequest":{"Key":{"k":{"S":")" + std::string(key) + R"("}}}})";
}

TEST(BatchWriteItem, PutsAndDeletesInSeveralTables) {
  World world;
  world.create_table("Tab");
  world.create_table("Other");
  world.put(R"({"k":{"S":"old"}})");
  EXPECT_EQ(world.run("BatchWriteItem", R"({"RequestItems":{"Tab":[)" + put("a") + "," + erase("old") + R"(],"Other":[)" +
                                            put("b") + "]}}"),
            R"({"UnprocessedItems":{}})");
  EXPECT_EQ(world.run("BatchGetItem", R"({"RequestItems":{"Tab":{"Keys":[{"k":{"S":"a"}},{"k":{"S":"old"}}]},"Other":{"Keys":[{"k":{"S":"b"}}]}}})"),
            R"({"Responses":{"Other":[{"k":{"S":"b"}}],"Tab":[{"k":{"S":"a"}}]},"UnprocessedKeys":{}})");
}

TEST(BatchWriteItem, AnythingInvalidRefusesAll) {
  World world;
  world.create_table("Tab");
  EXPECT_EQ(world.run("BatchWriteItem", R"({"RequestItems":{"Tab":[)" + put("a") + "," + erase("a") + "]}}"),
            "ValidationException: Provided list of item keys contains duplicates");
  EXPECT_EQ(world.run("BatchWriteItem", R"({"RequestItems":{"Tab":[)" + put("a") + R"(,{"PutRequest":{"Item":{"x":{"S":"a"}}}}]}})"),
            "ValidationException: The provided key element does not match the schema");
  EXPECT_EQ(world.run("BatchWriteItem", R"({"RequestItems":{"Tab":[)" + put("a") + R"(],"None":[)" + put("a") + "]}}"),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_THAT(world.run("BatchWriteItem", R"({"RequestItems":{"Tab":[{}]}})"), StartsWith("ValidationException"));
  EXPECT_EQ(world.run("GetItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}}})"), "{}");
}

TEST(BatchWriteItem, ABatchHasAtMost25Writes) {
  World world;
  world.create_table("Tab");
  std::string writes;
  for (int i = 0; i < 26; ++i) writes += (i ? "," : "") + put(std::to_string(i));
  EXPECT_THAT(world.run("BatchWriteItem", R"({"RequestItems":{"Tab":[)" + writes + "]}}"),
              StartsWith("ValidationException"));
}

TEST(BatchWriteItem, CapacityIsSummedPerTable) {
  World world;
  world.create_table("Tab");
  EXPECT_EQ(world.run("BatchWriteItem", R"({"ReturnConsumedCapacity":"TOTAL","RequestItems":{"Tab":[)" + put("a") + "," + put("b") + "]}}"),
            R"({"UnprocessedItems":{},"ConsumedCapacity":[{"TableName":"Tab","CapacityUnits":2.0}]})");
}

TEST(BatchWriteItem, BatchesAndUpdatesOfTheSameItemsAllSucceed) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    World world(seed, store::SimFaults{});
    world.create_table("Tab", "", "NEW_IMAGE");
    std::vector<std::shared_ptr<World::Request>> requests;
    for (int i = 0; i < 20; ++i) {
      requests.push_back(world.start("BatchWriteItem", R"({"RequestItems":{"Tab":[)" + put(i % 2 ? "a" : "b") + "," +
                                                           put(i % 2 ? "b" : "a") + "]}}"));
      requests.push_back(world.start("UpdateItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}},"UpdateExpression":"ADD n :one",
          "ExpressionAttributeValues":{":one":{"N":"1"}}})"));
    }
    world.settle();
    for (const auto& request : requests) {
      EXPECT_TRUE(request->done);
      EXPECT_THAT(request->answer, StartsWith("{"));
    }
  }
}

TEST(BatchGetItem, ReadsAnItemOnceWhoseKeyIsSpelledInSeveralWays) {
  World world;
  world.create_table("Tab", "N");
  world.put(R"({"k":{"S":"a"},"s":{"N":"1000"}})");
  const auto get = [&](std::string_view first, std::string_view second) {
    const std::string begin = R"({"k":{"S":"a"},"s":{"N":")";
    return world.run("BatchGetItem", R"({"RequestItems":{"Tab":{"Keys":[)" + begin + std::string(first) + R"("}},)" + begin +
                                         std::string(second) + R"("}}]}}})");
  };
  EXPECT_EQ(get("1000", "1e3"), R"({"Responses":{"Tab":[{"k":{"S":"a"},"s":{"N":"1000"}}]},"UnprocessedKeys":{}})");
  EXPECT_EQ(get("1e3", "10e2"), R"({"Responses":{"Tab":[{"k":{"S":"a"},"s":{"N":"1000"}}]},"UnprocessedKeys":{}})");
  EXPECT_EQ(get("1e3", "1e3"), "ValidationException: Provided list of item keys contains duplicates");
}

TEST(BatchGetItem, ProjectionsAndCapacityArePerTable) {
  World world;
  world.create_table("Tab");
  world.put(R"({"k":{"S":"a"},"x":{"N":"1"},"y":{"N":"2"}})");
  EXPECT_EQ(world.run("BatchGetItem", R"({"ReturnConsumedCapacity":"TOTAL","RequestItems":{"Tab":{"Keys":[{"k":{"S":"a"}},{"k":{"S":"b"}}],
                                          "ProjectionExpression":"#x","ExpressionAttributeNames":{"#x":"x"}}}})"),
            R"({"Responses":{"Tab":[{"x":{"N":"1"}}]},"UnprocessedKeys":{},"ConsumedCapacity":[{"TableName":"Tab","CapacityUnits":1.0}]})");
}

TEST(BatchGetItem, WrongKeysAreRefused) {
  World world;
  world.create_table("Tab");
  EXPECT_EQ(world.run("BatchGetItem", R"({"RequestItems":{"Tab":{"Keys":[{"k":{"S":"a"}},{"k":{"S":"a"}}]}}})"),
            "ValidationException: Provided list of item keys contains duplicates");
  EXPECT_EQ(world.run("BatchGetItem", R"({"RequestItems":{"Tab":{"Keys":[{"x":{"S":"a"}}]}}})"),
            "ValidationException: The provided key element does not match the schema");
  EXPECT_EQ(world.run("BatchGetItem", R"({"RequestItems":{"None":{"Keys":[{"k":{"S":"a"}}]}}})"),
            "ResourceNotFoundException: Requested resource not found");
}

TEST(BatchGetItem, WhatDoesNotFitIsLeftForTheNextRequest) {
  World world;
  world.create_table("Tab");
  const std::string text(390'000, 'x');
  std::string keys;
  for (int i = 0; i < 50; ++i) {
    world.put(R"({"k":{"S":")" + std::to_string(i) + R"("},"x":{"S":")" + text + R"("}})");
    keys += (i ? "," : "") + (R"({"k":{"S":")" + std::to_string(i) + R"("}})");
  }
  const auto answer = world.ask("BatchGetItem", R"({"RequestItems":{"Tab":{"Keys":[)" + keys +
                                                    R"(],"ConsistentRead":true,"ProjectionExpression":"k"}}})");
  const size_t found = answer.find("Responses")->find("Tab")->array().size();
  const json::Value& rest = *answer.find("UnprocessedKeys")->find("Tab");
  EXPECT_EQ(found, 43u);  // 16 MB
  EXPECT_EQ(rest.find("Keys")->array().size(), 50 - found);
  EXPECT_TRUE(rest.find("ConsistentRead")->boolean());
  EXPECT_EQ(rest.find("ProjectionExpression")->string(), "k");
}

}  // namespace
}  // namespace tidemill::dynamodb
