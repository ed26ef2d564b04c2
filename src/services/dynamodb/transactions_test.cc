// TransactWriteItems, TransactGetItems and ExecuteTransaction, asked as clients ask them.
#include "services/dynamodb/idempotency.h"
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::World;

std::string quoted(std::string_view key) { return R"({"k":{"S":")" + std::string(key) + R"("}})"; }
std::string put(std::string_view key, std::string_view more = "") {
  return R"({"Put":{"TableName":"Tab","Item":)" + quoted(key) + std::string(more) + "}}";
}
std::string erase(std::string_view key, std::string_view more = "") {
  return R"({"Delete":{"TableName":"Tab","Key":)" + quoted(key) + std::string(more) + "}}";
}
std::string check(std::string_view key, std::string_view condition) {
  return R"({"ConditionCheck":{"TableName":"Tab","Key":)" + quoted(key) + R"(,"ConditionExpression":")" +
         std::string(condition) + R"("}})";
}
std::string add(std::string_view key, int by, std::string_view more = "") {
  return R"({"Update":{"TableName":"Tab","Key":)" + quoted(key) +
         R"(,"UpdateExpression":"ADD n :by","ExpressionAttributeValues":{":by":{"N":")" + std::to_string(by) + R"("}})" +
         std::string(more) + "}}";
}
std::string condition(std::string_view text) { return R"(,"ConditionExpression":")" + std::string(text) + R"(")"; }
std::string get(std::string_view key) { return R"({"Get":{"TableName":"Tab","Key":)" + quoted(key) + "}}"; }

class Transactions : public ::testing::Test {
 protected:
  Transactions() { world.create_table("Tab"); }

  std::string write(const std::string& actions, const std::string& more = "") {
    return world.run("TransactWriteItems", body(actions, more));
  }
  std::string read(const std::string& gets, const std::string& more = "") {
    return world.run("TransactGetItems", body(gets, more));
  }
  std::string item(std::string_view key) {
    return world.run("GetItem", R"({"TableName":"Tab","Key":)" + quoted(key) + "}");
  }
  static std::string body(const std::string& actions, const std::string& more) {
    return R"({"TransactItems":[)" + actions + "]" + more + "}";
  }

  World world;
};

constexpr std::string_view kCancelled =
    "TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific reasons ";
std::string cancelled(std::string_view codes, std::string_view reasons) {
  return std::string(kCancelled) + std::string(codes) + R"( {"CancellationReasons":)" + std::string(reasons) + "}";
}
constexpr std::string_view kFailed = R"({"Code":"ConditionalCheckFailed","Message":"The conditional request failed"})";

class TransactWriteItems : public Transactions {};
class TransactGetItems : public Transactions {};
class ClientRequestTokens : public Transactions {};

TEST_F(TransactWriteItems, AllActionsHappenTogether) {
  world.put(R"({"k":{"S":"old"}})");
  world.put(R"({"k":{"S":"n"},"n":{"N":"1"}})");
  EXPECT_EQ(write(put("a", condition("attribute_not_exists(k)")) + "," + add("n", 2) + "," + erase("old") + "," +
                  check("none", "attribute_not_exists(k)")),
            "{}");
  EXPECT_EQ(item("a"), R"({"Item":{"k":{"S":"a"}}})");
  EXPECT_EQ(item("n"), R"({"Item":{"k":{"S":"n"},"n":{"N":"3"}}})");
  EXPECT_EQ(item("old"), "{}");
  EXPECT_EQ(item("none"), "{}");
}

TEST_F(TransactWriteItems, OneFailedConditionCancelsAllAndEveryReasonIsTold) {
  EXPECT_EQ(write(put("a") + "," + check("b", "attribute_exists(k)") + "," + add("c", 1) + "," +
                  erase("d", condition("attribute_exists(k)"))),
            cancelled("[None, ConditionalCheckFailed, None, ConditionalCheckFailed]",
                      R"([{"Code":"None"},)" + std::string(kFailed) + R"(,{"Code":"None"},)" + std::string(kFailed) + "]"));
  EXPECT_EQ(item("a"), "{}");
  EXPECT_EQ(item("c"), "{}");
}

TEST_F(TransactWriteItems, TheItemThatFailedItsConditionIsTold) {
  world.put(R"({"k":{"S":"a"},"n":{"N":"1"}})");
  EXPECT_EQ(write(put("a", condition("attribute_not_exists(k)") + R"(,"ReturnValuesOnConditionCheckFailure":"ALL_OLD")")),
            cancelled("[ConditionalCheckFailed]",
                      R"([{"Code":"ConditionalCheckFailed","Item":{"k":{"S":"a"},"n":{"N":"1"}},"Message":"The conditional request failed"}])"));
}

TEST_F(TransactWriteItems, OneItemHasOneAction) {
  constexpr const char* kTwice =
      "ValidationException: Transaction request cannot include multiple operations on one item";
  EXPECT_EQ(write(put("a") + "," + put("a")), kTwice);
  EXPECT_EQ(write(put("a") + "," + put("b") + "," + check("b", "attribute_exists(k)")), kTwice);
}

TEST_F(TransactWriteItems, WhatIsWrongWithOneActionCancelsTheTransaction) {
  const auto wrong = [](std::string_view message) {
    return R"([{"Code":"None"},{"Code":"ValidationError","Message":")" + std::string(message) + R"("},{"Code":"None"}])";
  };
  const std::string others = "," + put("c", condition("attribute_exists(k)"));
  EXPECT_EQ(write(put("a") + R"(,{"Put":{"TableName":"Tab","Item":{"k":{"N":"7"}}}})" + others),
            cancelled("[None, ValidationError, None]",
                      wrong("One or more parameter values were invalid: Type mismatch for key k expected: S actual: N")));
  EXPECT_EQ(write(put("a") + R"(,{"Delete":{"TableName":"Tab","Key":{"k":{"N":"7"}}}})" + others),
            cancelled("[None, ValidationError, None]", wrong("The provided key element does not match the schema")));
  EXPECT_EQ(write(put("a") + R"(,{"Update":{"TableName":"Tab","Key":{"k":{"S":"b"}},"UpdateExpression":"SET n = m + :by",
                  "ExpressionAttributeValues":{":by":{"N":"1"}}}},)" + put("c")),
            cancelled("[None, ValidationError, None]",
                      wrong("The provided expression refers to an attribute that does not exist in the item")));
}

TEST_F(TransactWriteItems, WhatIsWrongWithTheRequestRefusesIt) {
  EXPECT_EQ(write(put("a") + "," + put("")),
            "ValidationException: One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: k");
  EXPECT_EQ(write(erase("")),
            "ValidationException: One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: k");
  EXPECT_EQ(write(R"({"Put":{"TableName":"None","Item":{"k":{"S":"a"}}}})"),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_EQ(write(put("a", condition("attribute_exists(#x)"))),
            "ValidationException: Invalid ConditionExpression: An expression attribute name used in the document path "
            "is not defined; attribute name: #x");
  EXPECT_EQ(write(put("a", condition("attribute_exists(k)") + R"(,"ExpressionAttributeNames":{"#x":"x"})")),
            "ValidationException: Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}");
  EXPECT_EQ(write(put("a", condition("hello!"))),
            R"(ValidationException: Invalid ConditionExpression: Syntax error; token: "!", near: "hello!")");
  EXPECT_EQ(write("{}"), "ValidationException: TransactItems can only contain one of Check, Put, Update or Delete");
  EXPECT_EQ(write(R"({"Put":{"TableName":"Tab","Item":{"k":{"S":"a"}}},"Delete":{"TableName":"Tab","Key":{"k":{"S":"b"}}}})"),
            "ValidationException: TransactItems can only contain one of Check, Put, Update or Delete");
  EXPECT_EQ(write(""),
            "ValidationException: 1 validation error detected: Value at 'TransactItems' failed to satisfy "
            "constraint: Member must have length greater than or equal to 1");
  EXPECT_EQ(write(R"({"ConditionCheck":{"TableName":"Tab","Key":{"k":{"S":"a"}}}})"),
            "ValidationException: 1 validation error detected: Value null at "
            "'transactItems.1.member.conditionCheck.conditionExpression' failed to satisfy constraint: Member must not be null");
  EXPECT_EQ(write(put("a", R"(,"ReturnValuesOnConditionCheckFailure":"none")")),
            "ValidationException: 1 validation error detected: Value 'none' at "
            "'transactItems.1.member.put.returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must "
            "satisfy enum value set: [ALL_OLD, NONE]");
  EXPECT_EQ(item("a"), "{}");
}

TEST_F(TransactWriteItems, ATransactionHasUpTo100ActionsAnd4Megabytes) {
  const auto puts = [](int count, const std::string& text) {
    std::string actions;
    for (int i = 0; i < count; ++i) {
      actions += (i ? "," : "") + (R"({"Put":{"TableName":"Tab","Item":{"k":{"S":")" + std::to_string(i) +
                                   R"("},"x":{"S":")" + text + R"("}}}})");
    }
    return actions;
  };
  EXPECT_EQ(write(puts(100, "")), "{}");
  EXPECT_THAT(write(puts(101, "")), HasSubstr("Member must have length less than or equal to 100"));
  EXPECT_EQ(write(puts(10, std::string(350'000, 'x'))), "{}");
  EXPECT_EQ(write(puts(12, std::string(350'000, 'x'))), "ValidationException: Transaction payload size cannot exceed 4 MB");
}

TEST_F(TransactWriteItems, AnItemThatIsTooLargeIsRefusedOrCancelsTheTransaction) {
  const std::string text(400'000, 'x');
  EXPECT_EQ(write(R"({"Put":{"TableName":"Tab","Item":{"k":{"S":"a"},"x":{"S":")" + text + text + R"("}}}})"),
            "ValidationException: Item size has exceeded the maximum allowed size");
  world.put(R"({"k":{"S":"a"},"x":{"S":")" + text + R"("}})");
  EXPECT_THAT(write(R"({"Update":{"TableName":"Tab","Key":{"k":{"S":"a"}},"UpdateExpression":"SET y = :y",
                    "ExpressionAttributeValues":{":y":{"S":")" + text + R"("}}}})"),
              HasSubstr(R"([{"Code":"ValidationError","Message":"Item size to update has exceeded the maximum allowed size"}])"));
}

TEST_F(TransactWriteItems, CapacityIsTwiceThatOfSingleWritesAndACheckCostsAsMuch) {
  const std::string text(1500, 'x');
  EXPECT_EQ(write(R"({"Put":{"TableName":"Tab","Item":{"k":{"S":"a"},"x":{"S":")" + text + R"("}}}},)" + put("b"),
                  R"(,"ReturnConsumedCapacity":"TOTAL")"),
            R"({"ConsumedCapacity":[{"TableName":"Tab","CapacityUnits":6.0,"WriteCapacityUnits":6.0}]})");
  EXPECT_EQ(write(check("a", "attribute_exists(k)"), R"(,"ReturnConsumedCapacity":"INDEXES")"),
            R"({"ConsumedCapacity":[{"TableName":"Tab","CapacityUnits":4.0,"WriteCapacityUnits":4.0,"Table":{"WriteCapacityUnits":4.0,"CapacityUnits":4.0}}]})");
}

TEST(TransactionIndexes, AnIndexKeyThatDoesNotSuitCancelsAndAnEmptyOneRefuses) {
  World world;
  world.run("CreateTable", R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],
      "AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"i","AttributeType":"S"}],
      "GlobalSecondaryIndexes":[{"IndexName":"ind","KeySchema":[{"AttributeName":"i","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]})");
  const auto write = [&](std::string_view index_key, std::string_view more = "") {
    return world.run("TransactWriteItems", R"({"TransactItems":[{"Put":{"TableName":"Tab","Item":{"k":{"S":"a"},"i":)" +
                                               std::string(index_key) + "}}}]" + std::string(more) + "}");
  };
  EXPECT_EQ(write(R"({"N":"5"})"),
            cancelled("[ValidationError]",
                      R"([{"Code":"ValidationError","Message":"One or more parameter values were invalid: Type mismatch for Index Key i Expected: S Actual: N IndexName: ind"}])"));
  EXPECT_EQ(write(R"({"S":""})"),
            "ValidationException: One or more parameter values are not valid. A value specified for a secondary index key "
            "is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: "
            "ind, IndexKey: i");
  // The factor of two is the table's alone.
  EXPECT_EQ(write(R"({"S":"x"})", R"(,"ReturnConsumedCapacity":"INDEXES")"),
            R"({"ConsumedCapacity":[{"TableName":"Tab","CapacityUnits":3.0,"WriteCapacityUnits":3.0,"Table":{"WriteCapacityUnits":2.0,"CapacityUnits":2.0},)"
            R"("GlobalSecondaryIndexes":{"ind":{"WriteCapacityUnits":1.0,"CapacityUnits":1.0}}}]})");
  EXPECT_THAT(world.run("Query", R"({"TableName":"Tab","IndexName":"ind","KeyConditionExpression":"i = :i",
      "ExpressionAttributeValues":{":i":{"S":"x"}}})"), HasSubstr(R"("Count":1)"));
}

TEST(TransactionStreams, EachItemOfATransactionLeavesItsRecord) {
  World world;
  world.create_table("Tab", "", "NEW_IMAGE");
  EXPECT_EQ(world.run("TransactWriteItems", R"({"TransactItems":[)" + put("a") + "," + put("b") + "," +
                                                check("c", "attribute_not_exists(k)") + "," + erase("d") + "]}"),
            "{}");
  EXPECT_THAT(world.run("TransactWriteItems", R"({"TransactItems":[)" + put("e") + "," + check("c", "attribute_exists(k)") + "]}"),
              StartsWith("TransactionCanceledException"));
  const auto streams = world.ask("ListStreams", "{}");
  const std::string arn(streams.find("Streams")->array()[0].find("StreamArn")->string());
  const auto described = world.ask("DescribeStream", R"({"StreamArn":")" + arn + R"("})");
  size_t records = 0;
  for (const json::Value& shard : described.find("StreamDescription")->find("Shards")->array()) {
    const auto iterator = world.ask("GetShardIterator", R"({"StreamArn":")" + arn + R"(","ShardIteratorType":"TRIM_HORIZON","ShardId":")" +
                                                            std::string(shard.find("ShardId")->string()) + R"("})");
    const auto got = world.ask("GetRecords", R"({"ShardIterator":")" +
                                                 std::string(iterator.find("ShardIterator")->string()) + R"("})");
    records += got.find("Records")->array().size();
  }
  EXPECT_EQ(records, 2u);
}

TEST(TransactionConflicts, TransactionsAndWritersOfTheSameItemsAllSucceed) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    World world(seed, store::SimFaults{});
    world.create_table("Tab");
    std::vector<std::shared_ptr<World::Request>> requests;
    for (int i = 0; i < 20; ++i) {
      const std::string two = i % 2 ? add("a", 1) + "," + add("b", -1) : add("b", -1) + "," + add("a", 1);
      requests.push_back(world.start("TransactWriteItems", R"({"TransactItems":[)" + two + "]}"));
      requests.push_back(world.start("UpdateItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}},"UpdateExpression":"ADD n :one",
          "ExpressionAttributeValues":{":one":{"N":"1"}}})"));
    }
    world.settle();
    for (const auto& request : requests) EXPECT_EQ(request->answer, "{}");
    EXPECT_EQ(world.run("TransactGetItems", R"({"TransactItems":[)" + get("a") + "," + get("b") + "]}"),
              R"({"Responses":[{"Item":{"k":{"S":"a"},"n":{"N":"40"}}},{"Item":{"k":{"S":"b"},"n":{"N":"-20"}}}]})");
  }
}

TEST(TransactionConflicts, AClientThatLeavesHoldsNobodyUp) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    World world(seed, store::SimFaults{});
    world.create_table("Tab");
    base::Scope client;
    for (int i = 0; i < 3; ++i) {
      world.start("TransactWriteItems", R"({"TransactItems":[)" + add("a", 1) + "," + add("b", 1) + "]}", client);
    }
    const auto waiting = world.start("TransactWriteItems", R"({"TransactItems":[)" + add("b", 1) + "," + add("c", 1) + "]}");
    for (uint64_t i = 0; i < seed; ++i) world.executor.run_one();
    world.leave(client);
    world.settle();
    EXPECT_EQ(waiting->answer, "{}");
  }
}

TEST_F(TransactGetItems, ReadsItemsInTheirOrderAndWhatIsMissingHasNone) {
  world.put(R"({"k":{"S":"a"},"n":{"N":"1"},"m":{"N":"2"}})");
  EXPECT_EQ(read(get("b") + R"(,{"Get":{"TableName":"Tab","Key":{"k":{"S":"a"}},"ProjectionExpression":"#n","ExpressionAttributeNames":{"#n":"n"}}})"),
            R"({"Responses":[{},{"Item":{"n":{"N":"1"}}}]})");
}

TEST_F(TransactGetItems, CapacityIsTwiceThatOfConsistentReads) {
  world.put(R"({"k":{"S":"a"}})");
  EXPECT_EQ(read(get("a") + "," + get("missing"), R"(,"ReturnConsumedCapacity":"INDEXES")"),
            R"({"ConsumedCapacity":[{"TableName":"Tab","CapacityUnits":4.0,"ReadCapacityUnits":4.0,"Table":{"ReadCapacityUnits":4.0,"CapacityUnits":4.0}}],"Responses":[{"Item":{"k":{"S":"a"}}},{}]})");
}

TEST_F(TransactGetItems, WrongRequestsAreRefused) {
  EXPECT_EQ(read(get("a") + "," + get("a")),
            "ValidationException: Transaction request cannot include multiple operations on one item");
  EXPECT_EQ(read(get("a") + R"(,{"Get":{"TableName":"Tab","Key":{}}})"),
            cancelled("[None, ValidationError]",
                      R"([{"Code":"None"},{"Code":"ValidationError","Message":"The provided key element does not match the schema"}])"));
  EXPECT_EQ(read(R"({"Get":{"TableName":"None","Key":{"k":{"S":"a"}}}})"),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_EQ(read(R"({"Get":{"TableName":"Tab","Key":{"k":{"S":"a"}},"ProjectionExpression":"!!!"}})"),
            R"(ValidationException: Invalid ProjectionExpression: Syntax error; token: "!", near: "!!")");
  EXPECT_THAT(read(""), HasSubstr("Member must have length greater than or equal to 1"));
}

TEST_F(ClientRequestTokens, ASecondUseDoesNothingAndCostsReads) {
  const std::string text(1500, 'x');
  world.put(R"({"k":{"S":"a"},"x":{"S":")" + text + R"("},"n":{"N":"1"}})");
  const std::string more = R"(,"ClientRequestToken":"t","ReturnConsumedCapacity":"TOTAL")";
  EXPECT_EQ(write(add("a", 1), more),
            R"({"ConsumedCapacity":[{"TableName":"Tab","CapacityUnits":4.0,"WriteCapacityUnits":4.0}]})");
  EXPECT_EQ(write(add("a", 1), more),
            R"({"ConsumedCapacity":[{"TableName":"Tab","CapacityUnits":2.0,"ReadCapacityUnits":2.0}]})");
  EXPECT_EQ(write(add("a", 1), R"(,"ClientRequestToken":"t")"), "{}");
  EXPECT_THAT(item("a"), HasSubstr(R"("n":{"N":"2"})"));
  EXPECT_EQ(write(add("a", 1), R"(,"ClientRequestToken":"u")"), "{}");
  EXPECT_THAT(item("a"), HasSubstr(R"("n":{"N":"3"})"));
}

TEST_F(ClientRequestTokens, OtherParametersAreRefused) {
  EXPECT_EQ(write(put("a"), R"(,"ClientRequestToken":"t")"), "{}");
  EXPECT_THAT(write(put("b"), R"(,"ClientRequestToken":"t")"), StartsWith("IdempotentParameterMismatchException: "));
  EXPECT_THAT(write(put("a", condition("attribute_exists(k)")), R"(,"ClientRequestToken":"t")"),
              StartsWith("IdempotentParameterMismatchException: "));
  EXPECT_EQ(item("b"), "{}");
}

TEST_F(ClientRequestTokens, TheSameItemMayBeSpelledInAnotherWay) {
  const auto spelled = [](std::string_view attributes) {
    return R"({"Put":{"TableName":"Tab","Item":{)" + std::string(attributes) + "}}}";
  };
  EXPECT_EQ(write(spelled(R"("k":{"S":"a"},"n":{"N":"100"})"), R"(,"ClientRequestToken":"t")"), "{}");
  EXPECT_EQ(write(spelled(R"("n":{"N":"1e2"},"k":{"S":"a"})"), R"(,"ClientRequestToken":"t")"), "{}");
}

TEST_F(ClientRequestTokens, AFailedTransactionUsesUpNoToken) {
  EXPECT_THAT(write(add("a", 1, condition("attribute_exists(k)")), R"(,"ClientRequestToken":"t")"),
              StartsWith("TransactionCanceledException"));
  world.put(R"({"k":{"S":"a"}})");
  EXPECT_EQ(write(add("a", 1, condition("attribute_exists(k)")), R"(,"ClientRequestToken":"t")"), "{}");
  EXPECT_EQ(item("a"), R"({"Item":{"k":{"S":"a"},"n":{"N":"1"}}})");
}

TEST_F(ClientRequestTokens, ATokenIsGoodForTenMinutesAlsoAfterACrash) {
  const std::string more = R"(,"ClientRequestToken":"t")";
  EXPECT_EQ(write(add("a", 1), more), "{}");
  world.crash();
  world.advance(kTokenLifetime - std::chrono::seconds(1));
  EXPECT_EQ(write(add("a", 1), more), "{}");
  EXPECT_EQ(item("a"), R"({"Item":{"k":{"S":"a"},"n":{"N":"1"}}})");
  world.advance(std::chrono::seconds(1));
  EXPECT_EQ(write(add("a", 1), more), "{}");
  EXPECT_EQ(item("a"), R"({"Item":{"k":{"S":"a"},"n":{"N":"2"}}})");
}

TEST_F(ClientRequestTokens, ExpiredTokensGiveTheirSpaceBack) {
  const auto left = [&] {
    size_t count = 0;
    for (const auto& [key, value] : world.disk.data) count += key.starts_with("C");
    return count;
  };
  for (int i = 0; i < 5; ++i) write(put("a"), R"(,"ClientRequestToken":"t)" + std::to_string(i) + R"(")");
  world.advance(kTokenLifetime);
  write(put("a"), R"(,"ClientRequestToken":"t0")");  // anew
  EXPECT_EQ(left(), 10u);
  world.advance(std::chrono::minutes(1));
  EXPECT_EQ(left(), 2u);
  EXPECT_EQ(write(put("a"), R"(,"ClientRequestToken":"t0")"), "{}");
  world.advance(kTokenLifetime + std::chrono::minutes(1));
  EXPECT_EQ(left(), 0u);
}

TEST_F(ClientRequestTokens, ManyAtOnceWithOneTokenCountOnce) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    World crowd(seed, store::SimFaults{});
    crowd.create_table("Tab");
    std::vector<std::shared_ptr<World::Request>> requests;
    for (int i = 0; i < 10; ++i) {
      requests.push_back(crowd.start("TransactWriteItems", body(add("a", 1), R"(,"ClientRequestToken":"t")")));
    }
    crowd.settle();
    for (const auto& request : requests) EXPECT_EQ(request->answer, "{}");
    EXPECT_EQ(crowd.run("GetItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}}})"),
              R"({"Item":{"k":{"S":"a"},"n":{"N":"1"}}})");
  }
}

}  // namespace
}  // namespace tidemill::dynamodb
