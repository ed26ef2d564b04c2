// Throughput that is enforced, on a clock that the tests turn.
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::HasSubstr;
using testing::World;

constexpr std::string_view kExceeded =
    "ProvisionedThroughputExceededException: The level of configured provisioned throughput for the table was "
    "exceeded. "
    "Consider increasing your provisioning level with the UpdateTable API.";

struct Throttled : World {
  explicit Throttled(
      std::string_view billing = R"("ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1})",
      std::string_view definitions = "")
      : World(1, store::SimFaults::none(), {.throttle = true}) {
    EXPECT_THAT(
        run("CreateTable", R"({"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"})" +
                               std::string(definitions) + R"(],"KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],)" +
                               std::string(billing) + "}"),
        HasSubstr("CREATING"));
  }

  std::string get() { return run("GetItem", R"({"TableName":"Tab","ConsistentRead":true,"Key":{"k":{"S":"a"}}})"); }

  // How many of the calls come through before one is refused.
  template <class Call>
  int until_refused(Call call, int at_most = 1000) {
    for (int calls = 0; calls < at_most; ++calls) {
      if (call().find("Exception: ") != std::string::npos) return calls;
    }
    return at_most;
  }
};

TEST(Throttle, ATableTakesItsBurstAndThenItsRate) {
  Throttled world;
  const auto put = [&] { return world.put(R"({"k":{"S":"a"}})"); };
  EXPECT_EQ(world.until_refused(put), 300);
  EXPECT_THAT(put(), HasSubstr(kExceeded));
  EXPECT_THAT(put(), HasSubstr(R"("ThrottlingReasons":[{"reason":"TableWriteProvisionedThroughputExceeded",)"));
  world.advance(std::chrono::seconds(7));
  EXPECT_EQ(world.until_refused(put), 7);
  EXPECT_EQ(world.until_refused([&] { return world.get(); }), 300) << "reads have a bucket of their own";
  world.advance(std::chrono::hours(1));
  EXPECT_EQ(world.until_refused(put), 300) << "no more than the burst is saved up";
}

TEST(Throttle, ALargeItemCostsAccordingly) {
  Throttled world;
  const std::string item = R"({"k":{"S":"a"},"x":{"S":")" + std::string(99 * 1024, 'x') + R"("}})";
  EXPECT_EQ(world.until_refused([&] { return world.put(item); }), 3);
  world.advance(std::chrono::seconds(1));
  EXPECT_EQ(world.until_refused([&] { return world.put(R"({"k":{"S":"b"}})"); }), 1);
}

TEST(Throttle, AFailedConditionIsPaidForToo) {
  Throttled world;
  EXPECT_EQ(world.until_refused([&] {
    const std::string answer = world.run(
        "PutItem", R"j({"TableName":"Tab","Item":{"k":{"S":"a"}},"ConditionExpression":"attribute_exists(k)"})j");
    return answer.starts_with("Conditional") ? std::string() : answer;
  }),
            300);
}

TEST(Throttle, QueryAndScanPayForWhatTheyRead) {
  Throttled world;
  world.put(R"({"k":{"S":"a"},"x":{"S":")" + std::string(39 * 1024, 'x') + R"("}})");
  EXPECT_EQ(world.until_refused([&] { return world.run("Scan", R"({"TableName":"Tab","ConsistentRead":true})"); }), 30);
  world.advance(std::chrono::seconds(11));
  EXPECT_EQ(world.until_refused([&] {
    return world.run(
        "Query", R"({"TableName":"Tab","KeyConditionExpression":"k=:k","ExpressionAttributeValues":{":k":{"S":"a"}}})");
  }),
            3);
}

TEST(Throttle, ABatchGivesBackWhatItDidNotWrite) {
  Throttled world;
  world.until_refused([&] { return world.put(R"({"k":{"S":"a"}})"); });
  constexpr const char* kBatch = R"({"RequestItems":{"Tab":[{"PutRequest":{"Item":{"k":{"S":"1"}}}},
      {"PutRequest":{"Item":{"k":{"S":"2"}}}},{"DeleteRequest":{"Key":{"k":{"S":"3"}}}}]}})";
  EXPECT_THAT(world.run("BatchWriteItem", kBatch), HasSubstr(kExceeded));
  world.advance(std::chrono::seconds(2));
  EXPECT_EQ(world.run("BatchWriteItem", kBatch),
            R"({"UnprocessedItems":{"Tab":[{"DeleteRequest":{"Key":{"k":{"S":"3"}}}}]}})");
}

TEST(Throttle, ABatchGivesBackWhatItDidNotRead) {
  Throttled world;
  world.until_refused([&] { return world.get(); });
  constexpr const char* kBatch =
      R"({"RequestItems":{"Tab":{"ConsistentRead":true,"Keys":[{"k":{"S":"1"}},{"k":{"S":"2"}}]}}})";
  EXPECT_THAT(world.run("BatchGetItem", kBatch), HasSubstr(kExceeded));
  world.advance(std::chrono::seconds(1));
  EXPECT_EQ(world.run("BatchGetItem", kBatch),
            R"({"Responses":{"Tab":[]},"UnprocessedKeys":{"Tab":{"Keys":[{"k":{"S":"2"}}],"ConsistentRead":true}}})");
}

TEST(Throttle, ATransactionSaysWhichActionsItHasNoCapacityFor) {
  Throttled world;
  world.create_table("Free");
  constexpr const char* kWrite = R"({"TransactItems":[{"Put":{"TableName":"Free","Item":{"k":{"S":"a"}}}},
                                                      {"Put":{"TableName":"Tab","Item":{"k":{"S":"a"}}}}]})";
  EXPECT_EQ(world.until_refused([&] { return world.run("TransactWriteItems", kWrite); }), 150) << "twice the units";
  EXPECT_THAT(world.run("TransactWriteItems", kWrite), HasSubstr("[None, ProvisionedThroughputExceeded]"));
  constexpr const char* kRead = R"({"TransactItems":[{"Get":{"TableName":"Tab","Key":{"k":{"S":"a"}}}}]})";
  EXPECT_EQ(world.until_refused([&] { return world.run("TransactGetItems", kRead); }), 150);
}

TEST(Throttle, AGlobalIndexHasItsOwnThroughput) {
  Throttled world(R"("ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":5},"GlobalSecondaryIndexes":[
      {"IndexName":"by-n","KeySchema":[{"AttributeName":"n","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"},
       "ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}])",
                  R"(,{"AttributeName":"n","AttributeType":"N"})");
  int n = 0;
  const auto put = [&] { return world.put(R"({"k":{"S":")" + std::to_string(++n) + R"("},"n":{"N":"1"}})"); };
  EXPECT_EQ(world.until_refused(put), 300);
  EXPECT_THAT(put(),
              HasSubstr("ProvisionedThroughputExceededException: The level of configured provisioned throughput for "
                        "one or more global secondary indexes of the table was exceeded."));
  EXPECT_THAT(put(), HasSubstr(R"("resource":"arn:aws:dynamodb:us-east-1:000000000000:table/Tab/index/by-n")"));
}

TEST(Throttle, AnOnDemandMaximumIsEnforcedInItsOwnWords) {
  Throttled world(R"("BillingMode":"PAY_PER_REQUEST","OnDemandThroughput":{"MaxWriteRequestUnits":1})");
  const auto put = [&] { return world.put(R"({"k":{"S":"a"}})"); };
  EXPECT_EQ(world.until_refused(put), 300);
  EXPECT_THAT(put(),
              HasSubstr("ThrottlingException: Throughput exceeds the maximum OnDemandThroughput configured on table "
                        "or index"));
  EXPECT_EQ(world.until_refused([&] { return world.get(); }), 1000) << "it has no maximum of reads";
}

TEST(Throttle, MoreThroughputHelpsAtOnce) {
  Throttled world;
  const auto put = [&] { return world.put(R"({"k":{"S":"a"}})"); };
  world.until_refused(put);
  world.run("UpdateTable",
            R"({"TableName":"Tab","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":10}})");
  world.advance(std::chrono::seconds(1));
  EXPECT_EQ(world.until_refused(put), 10);
}

TEST(Throttle, NothingIsEnforcedUnlessAskedFor) {
  World world;
  world.run("CreateTable", R"({"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}})");
  for (int i = 0; i < 400; ++i) EXPECT_EQ(world.put(R"({"k":{"S":"a"}})"), "{}");
}

}  // namespace
}  // namespace tidemill::dynamodb
