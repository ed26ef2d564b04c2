// PutItem, GetItem, UpdateItem, DeleteItem, asked as clients ask them.
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::World;

class Items : public ::testing::Test {
 protected:
  Items() { world.create_table("Tab"); }
  std::string run(std::string_view operation, std::string_view rest) {
    return world.run(operation, R"({"TableName":"Tab",)" + std::string(rest) + "}");
  }
  std::string get(std::string_view key) { return run("GetItem", R"("Key":{"k":{"S":")" + std::string(key) + R"("}})"); }
  World world;
};

TEST_F(Items, WhatIsPutIsThere) {
  EXPECT_EQ(world.put(R"({"k":{"S":"a"},"n":{"N":"1e3"},"m":{"M":{"x":{"L":[{"NULL":true},{"BOOL":false}]}}}})"), "{}");
  EXPECT_EQ(get("a"), R"({"Item":{"k":{"S":"a"},"m":{"M":{"x":{"L":[{"NULL":true},{"BOOL":false}]}}},"n":{"N":"1000"}}})");
  EXPECT_EQ(get("b"), "{}");
}

TEST_F(Items, NoPathLeadsBelowAKey) {
  constexpr const char* kRefused =
      "ValidationException: Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: k";
  const std::string key = R"("Key":{"k":{"S":"a"}},)";
  EXPECT_EQ(run("GetItem", key + R"("ProjectionExpression":"k.b")"), kRefused);
  EXPECT_EQ(run("GetItem", key + R"("ProjectionExpression":"k[0]")"), kRefused);
  EXPECT_EQ(run("UpdateItem", key + R"("UpdateExpression":"SET k[1] = :a","ExpressionAttributeValues":{":a":{"N":"1"}})"), kRefused);
  EXPECT_EQ(run("UpdateItem", key + R"("UpdateExpression":"SET x = k.b")"), kRefused);
  EXPECT_EQ(run("DeleteItem", key + R"j("ConditionExpression":"attribute_exists(k.b)")j"), kRefused);
  EXPECT_EQ(run("Scan", R"("FilterExpression":"k[1] = :a","ExpressionAttributeValues":{":a":{"N":"1"}})"), kRefused);
}

TEST_F(Items, APutReplacesTheWholeItem) {
  world.put(R"({"k":{"S":"a"},"x":{"N":"1"}})");
  EXPECT_EQ(run("PutItem", R"("Item":{"k":{"S":"a"},"y":{"N":"2"}},"ReturnValues":"ALL_OLD")"),
            R"({"Attributes":{"k":{"S":"a"},"x":{"N":"1"}}})");
  EXPECT_EQ(get("a"), R"({"Item":{"k":{"S":"a"},"y":{"N":"2"}}})");
}

TEST_F(Items, AConditionDecides) {
  world.put(R"({"k":{"S":"a"},"x":{"N":"1"}})");
  EXPECT_EQ(run("PutItem", R"j("Item":{"k":{"S":"a"}},"ConditionExpression":"attribute_not_exists(k)")j"),
            "ConditionalCheckFailedException: The conditional request failed");
  EXPECT_EQ(run("PutItem", R"("Item":{"k":{"S":"a"}},"ConditionExpression":"x = :x","ExpressionAttributeValues":{":x":{"N":"2"}},
                             "ReturnValuesOnConditionCheckFailure":"ALL_OLD")"),
            R"(ConditionalCheckFailedException: The conditional request failed {"Item":{"k":{"S":"a"},"x":{"N":"1"}}})");
  EXPECT_EQ(run("DeleteItem", R"("Key":{"k":{"S":"a"}},"ConditionExpression":"x = :x","ExpressionAttributeValues":{":x":{"N":"1"}})"),
            "{}");
  EXPECT_EQ(get("a"), "{}");
}

TEST_F(Items, AnUpdateChangesAttributesAndReturnsWhatIsAsked) {
  world.put(R"({"k":{"S":"a"},"x":{"N":"1"},"y":{"S":"same"}})");
  const auto update = [&](std::string_view returns) {
    return run("UpdateItem", R"("Key":{"k":{"S":"a"}},"UpdateExpression":"SET x = x + :d","ExpressionAttributeValues":{":d":{"N":"1"}},"ReturnValues":")" +
                                 std::string(returns) + "\"");
  };
  EXPECT_EQ(update("NONE"), "{}");
  EXPECT_EQ(update("UPDATED_NEW"), R"({"Attributes":{"x":{"N":"3"}}})");
  EXPECT_EQ(update("UPDATED_OLD"), R"({"Attributes":{"x":{"N":"3"}}})");
  EXPECT_EQ(update("ALL_OLD"), R"({"Attributes":{"k":{"S":"a"},"x":{"N":"4"},"y":{"S":"same"}}})");
  EXPECT_EQ(update("ALL_NEW"), R"({"Attributes":{"k":{"S":"a"},"x":{"N":"6"},"y":{"S":"same"}}})");
}

TEST_F(Items, AnUpdateOfWhatIsNotThereMakesIt) {
  EXPECT_EQ(run("UpdateItem", R"("Key":{"k":{"S":"a"}})"), "{}");
  EXPECT_EQ(get("a"), R"({"Item":{"k":{"S":"a"}}})");
  run("UpdateItem", R"("Key":{"k":{"S":"b"}},"UpdateExpression":"ADD n :n","ExpressionAttributeValues":{":n":{"N":"5"}})");
  EXPECT_EQ(get("b"), R"({"Item":{"k":{"S":"b"},"n":{"N":"5"}}})");
}

// So does AWS, though its documents do not say so.
TEST_F(Items, AnUpdateThatOnlyRemovesMakesNoItem) {
  EXPECT_EQ(run("UpdateItem", R"("Key":{"k":{"S":"a"}},"UpdateExpression":"REMOVE x")"), "{}");
  EXPECT_EQ(get("a"), "{}");
}

TEST_F(Items, AKeyAttributeCannotBeUpdated) {
  EXPECT_EQ(run("UpdateItem", R"("Key":{"k":{"S":"a"}},"UpdateExpression":"SET k = :v","ExpressionAttributeValues":{":v":{"S":"b"}})"),
            "ValidationException: One or more parameter values were invalid: Cannot update attribute k. This attribute is "
            "part of the key");
}

TEST_F(Items, ADeleteReturnsWhatWasThere) {
  world.put(R"({"k":{"S":"a"},"x":{"N":"1"}})");
  EXPECT_EQ(run("DeleteItem", R"("Key":{"k":{"S":"a"}},"ReturnValues":"ALL_OLD")"),
            R"({"Attributes":{"k":{"S":"a"},"x":{"N":"1"}}})");
  EXPECT_EQ(run("DeleteItem", R"("Key":{"k":{"S":"a"}},"ReturnValues":"ALL_OLD")"), "{}");
}

TEST_F(Items, AProjectionPicksAttributes) {
  world.put(R"({"k":{"S":"a"},"l":{"L":[{"S":"x"},{"S":"y"}]},"z":{"N":"1"}})");
  EXPECT_EQ(run("GetItem", R"("Key":{"k":{"S":"a"}},"ProjectionExpression":"l[1], #z","ExpressionAttributeNames":{"#z":"z"})"),
            R"({"Item":{"l":{"L":[{"S":"y"}]},"z":{"N":"1"}}})");
}

TEST_F(Items, WrongKeysAreRefusedWithTheMessagesOfAws) {
  EXPECT_EQ(run("GetItem", R"("Key":{"x":{"S":"a"}})"),
            "ValidationException: The provided key element does not match the schema");
  EXPECT_EQ(run("GetItem", R"("Key":{"k":{"N":"1"}})"),
            "ValidationException: The provided key element does not match the schema");
  EXPECT_EQ(run("GetItem", R"("Key":{"k":{"S":"a"},"x":{"S":"b"}})"),
            "ValidationException: The provided key element does not match the schema");
  EXPECT_EQ(world.put(R"({"x":{"S":"a"}})"),
            "ValidationException: One or more parameter values were invalid: Missing the key k in the item");
  EXPECT_EQ(world.put(R"({"k":{"N":"1"}})"),
            "ValidationException: One or more parameter values were invalid: Type mismatch for key k expected: S actual: N");
  EXPECT_EQ(world.put(R"({"k":{"S":""}})"),
            "ValidationException: One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: k");
  EXPECT_EQ(world.put(R"({"k":{"S":")" + std::string(2049, 'x') + R"("}})"),
            "ValidationException: One or more parameter values were invalid: Size of hashkey has exceeded the maximum "
            "size limit of2048 bytes");
}

TEST_F(Items, AnItemHasAtMost400Kilobytes) {
  const auto of_size = [](size_t size) {
    return R"({"k":{"S":"a"},"x":{"S":")" + std::string(size - 3, 'x') + R"("}})";
  };
  EXPECT_EQ(world.put(of_size(400 * 1024)), "{}");
  EXPECT_EQ(world.put(of_size(400 * 1024 + 1)),
            "ValidationException: Item size has exceeded the maximum allowed size");
  EXPECT_EQ(run("UpdateItem", R"("Key":{"k":{"S":"a"}},"UpdateExpression":"SET y = :y","ExpressionAttributeValues":{":y":{"S":"more"}})"),
            "ValidationException: Item size to update has exceeded the maximum allowed size");
}

TEST_F(Items, ReturnValuesOfPutsAndDeletesAreFew) {
  EXPECT_EQ(run("PutItem", R"("Item":{"k":{"S":"a"}},"ReturnValues":"ALL_NEW")"),
            "ValidationException: ReturnValues can only be ALL_OLD or NONE");
  EXPECT_EQ(run("DeleteItem", R"("Key":{"k":{"S":"a"}},"ReturnValues":"UPDATED_OLD")"),
            "ValidationException: 1 validation error detected: ReturnValues can only be ALL_OLD or NONE");
}

TEST_F(Items, PlaceholdersAreDefinedAndUsed) {
  EXPECT_EQ(run("PutItem", R"("Item":{"k":{"S":"a"}},"ExpressionAttributeNames":{"#x":"x"})"),
            "ValidationException: 1 validation error detected: ExpressionAttributeNames can only be specified when using "
            "expressions");
  EXPECT_EQ(run("UpdateItem", R"("Key":{"k":{"S":"a"}},"ExpressionAttributeValues":{":x":{"S":"x"}})"),
            "ValidationException: 1 validation error detected: ExpressionAttributeValues can only be specified when using "
            "expressions");
  EXPECT_EQ(run("PutItem", R"j("Item":{"k":{"S":"a"}},"ConditionExpression":"attribute_exists(x)","ExpressionAttributeNames":{"#x":"x"})j"),
            "ValidationException: 1 validation error detected: Value provided in ExpressionAttributeNames unused in "
            "expressions: keys: {#x}");
}

TEST_F(Items, ExpressionsAreCheckedBeforeTheTableIsLookedUp) {
  EXPECT_THAT(world.run("PutItem", R"({"TableName":"Other","Item":{"k":{"S":"a"}},"ConditionExpression":"a ="})"),
              StartsWith("ValidationException: Invalid ConditionExpression: Syntax error"));
  EXPECT_EQ(world.run("PutItem", R"({"TableName":"Other","Item":{"k":{"S":"a"}}})"),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_THAT(
      world.run("PutItem", R"({"TableName":"x","Item":{"k":{"S":"a"}}})"),
      StartsWith("ValidationException: 1 validation error detected: Value 'x' at 'tableName' failed to satisfy"));
}

TEST_F(Items, ConsumedCapacityIsRoundedUpPerItem) {
  const std::string big(5000, 'x');
  EXPECT_EQ(run("PutItem", R"("Item":{"k":{"S":"a"},"x":{"S":")" + big + R"("}},"ReturnConsumedCapacity":"TOTAL")"),
            R"({"ConsumedCapacity":{"TableName":"Tab","CapacityUnits":5.0}})");
  EXPECT_EQ(run("GetItem", R"("Key":{"k":{"S":"a"}},"ProjectionExpression":"k","ReturnConsumedCapacity":"TOTAL")"),
            R"({"Item":{"k":{"S":"a"}},"ConsumedCapacity":{"TableName":"Tab","CapacityUnits":1.0}})");
  EXPECT_EQ(run("GetItem", R"("Key":{"k":{"S":"a"}},"ConsistentRead":true,"ProjectionExpression":"k","ReturnConsumedCapacity":"INDEXES")"),
            R"({"Item":{"k":{"S":"a"}},"ConsumedCapacity":{"TableName":"Tab","CapacityUnits":2.0,"Table":{"CapacityUnits":2.0}}})");
  EXPECT_EQ(run("DeleteItem", R"("Key":{"k":{"S":"none"}},"ReturnConsumedCapacity":"TOTAL")"),
            R"({"ConsumedCapacity":{"TableName":"Tab","CapacityUnits":1.0}})");
}

TEST_F(Items, NumbersAreOneKeyHoweverTheyAreWritten) {
  world.run("CreateTable", R"({"TableName":"N12","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"N"}],
                               "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]})");
  world.run("PutItem", R"({"TableName":"N12","Item":{"k":{"N":"1e3"}}})");
  EXPECT_EQ(world.run("GetItem", R"({"TableName":"N12","Key":{"k":{"N":"1000.0"}}})"), R"({"Item":{"k":{"N":"1000"}}})");
}

TEST_F(Items, RegionsDoNotSeeEachOther) {
  EXPECT_THAT(world.run("GetItem", R"({"TableName":"arn:aws:dynamodb:us-east-1:111111111111:table/Tab","Key":{"k":{"S":"a"}}})"),
              StartsWith("ResourceNotFoundException"));
}

// Many changes of one item share commits, and none is lost.
TEST(HotItem, ConcurrentCountersAllCount) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    World world(seed, store::SimFaults{});
    world.create_table("Tab", "", "NEW_IMAGE");
    std::vector<std::shared_ptr<World::Request>> requests;
    for (int i = 0; i < 200; ++i) {
      requests.push_back(world.start("UpdateItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}},"UpdateExpression":"ADD n :one",
          "ExpressionAttributeValues":{":one":{"N":"1"}},"ReturnValues":"UPDATED_NEW"})"));
    }
    const uint64_t commits_before = world.store->metrics().commits;
    world.settle();
    std::set<std::string> answers;
    for (const auto& request : requests) {
      EXPECT_TRUE(request->done);
      answers.insert(request->answer);
    }
    EXPECT_EQ(answers.size(), 200u) << "each saw another count";
    EXPECT_EQ(world.run("GetItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}}})"),
              R"({"Item":{"k":{"S":"a"},"n":{"N":"200"}}})");
    EXPECT_LT(world.store->metrics().commits - commits_before, 20u);
  }
}

TEST(HotItem, AFailedConditionFailsAlone) {
  World world;
  world.create_table("Tab");
  std::vector<std::shared_ptr<World::Request>> requests;
  for (int i = 0; i < 20; ++i) {
    requests.push_back(world.start("PutItem", R"({"TableName":"Tab","Item":{"k":{"S":"a"},"by":{"N":")" + std::to_string(i) +
                                                  R"j("}},"ConditionExpression":"attribute_not_exists(k)"})j"));
  }
  world.settle();
  int done = 0;
  int failed = 0;
  for (const auto& request : requests) {
    done += request->answer == "{}";
    failed += request->answer == "ConditionalCheckFailedException: The conditional request failed";
  }
  EXPECT_EQ(done, 1);
  EXPECT_EQ(failed, 19);
}

TEST(HotItem, AWriterWhoseCallerLeavesHoldsNobodyUp) {
  World world;
  world.create_table("Tab", "", "KEYS_ONLY");
  constexpr const char* kUpdate =
      R"({"TableName":"Tab","Key":{"k":{"S":"a"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}})";
  for (int i = 0; i < 10; ++i) world.start("UpdateItem", kUpdate);
  world.executor.run_one();
  {
    const base::Executor::Enter enter(world.executor);
    world.tasks.clear();
  }
  EXPECT_EQ(world.run("UpdateItem", kUpdate), "{}");
}

// What was carried out along with another's request is acknowledged only if the commit is known to have happened.
TEST(HotItem, AWriterWhoseCallerLeavesPromisesNothingForOthers) {
  constexpr const char* kCount =
      R"({"TableName":"Tab","Key":{"k":{"S":"a"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}})";
  constexpr const char* kMark =
      R"({"TableName":"Tab","Key":{"k":{"S":"a"}},"UpdateExpression":"SET mark = :one","ExpressionAttributeValues":{":one":{"N":"1"}}})";
  int acknowledged = 0;
  for (int run = 0; run < 300; ++run) {
    SCOPED_TRACE("run " + std::to_string(run));
    World world(static_cast<uint64_t>(run), store::SimFaults{});
    world.create_table("Tab", "", "KEYS_ONLY");
    base::Scope client;
    world.start("UpdateItem", kCount);
    world.start("UpdateItem", kCount, client);
    const auto mark = world.start("UpdateItem", kMark);
    for (int step = 0; step < run % 30; ++step) world.executor.run_one();
    world.leave(client);
    while (!mark->done && world.executor.run_one()) {
    }
    ASSERT_TRUE(mark->done);
    if (mark->answer != "{}") {
      EXPECT_THAT(mark->answer, HasSubstr("whether it was carried out is not known"));
      continue;
    }
    ++acknowledged;
    world.crash();
    EXPECT_THAT(world.run("GetItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}}})"), HasSubstr("mark"));
  }
  EXPECT_GT(acknowledged, 100);
}

TEST(HotItem, WritersWhoseCallersLeaveOneAfterTheOtherHoldNobodyUp) {
  constexpr const char* kUpdate =
      R"({"TableName":"Tab","Key":{"k":{"S":"a"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}})";
  for (int run = 0; run < 200; ++run) {
    SCOPED_TRACE("run " + std::to_string(run));
    World world(static_cast<uint64_t>(run));
    world.create_table("Tab", "", "KEYS_ONLY");
    base::Scope first, second;
    world.start("UpdateItem", kUpdate);
    world.start("UpdateItem", kUpdate, first);
    world.start("UpdateItem", kUpdate, second);
    for (int step = 0; step < run % 20; ++step) world.executor.run_one();
    world.leave(second);
    world.leave(first);
    ASSERT_EQ(world.run("UpdateItem", kUpdate), "{}");
  }
}

TEST(Durability, WhatWasAcknowledgedIsThereAfterACrash) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    World world(seed, store::SimFaults{});
    world.create_table("Tab", "", "NEW_AND_OLD_IMAGES");
    std::vector<std::shared_ptr<World::Request>> requests;
    for (int i = 0; i < 30; ++i) {
      requests.push_back(world.start("PutItem", R"({"TableName":"Tab","Item":{"k":{"S":")" + std::to_string(i) + R"("}}})"));
    }
    for (int step = 0; step < 60; ++step) world.executor.run_one();
    std::vector<std::string> acknowledged;
    for (int i = 0; i < 30; ++i) {
      if (requests[i]->done) acknowledged.push_back(std::to_string(i));
    }
    world.crash();
    for (const std::string& key : acknowledged) {
      EXPECT_THAT(world.run("GetItem", R"({"TableName":"Tab","Key":{"k":{"S":")" + key + R"("}}})"), HasSubstr("Item"));
    }
  }
}

}  // namespace
}  // namespace tidemill::dynamodb
