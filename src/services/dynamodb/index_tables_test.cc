// Indexes as CreateTable takes them and DescribeTable shows them.
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::World;

constexpr const char* kInvalid = "ValidationException: One or more parameter values were invalid: ";

// CreateTable of Tab with the keys k and s, both S, the attributes x (S) and y (N), and `rest`.
std::string create(World& world, std::string_view rest, std::string_view billing = R"("BillingMode":"PAY_PER_REQUEST")") {
  return world.run("CreateTable", R"({"TableName":"Tab","AttributeDefinitions":[
      {"AttributeName":"k","AttributeType":"S"},{"AttributeName":"s","AttributeType":"S"},
      {"AttributeName":"x","AttributeType":"S"},{"AttributeName":"y","AttributeType":"N"}],
      "KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"s","KeyType":"RANGE"}],)" +
                                      std::string(billing) + "," + std::string(rest) + "}");
}

std::string index(std::string_view name, std::string_view hash, std::string_view range = "",
                  std::string_view projection = R"({"ProjectionType":"ALL"})", std::string_view more = "") {
  std::string text = R"({"IndexName":")" + std::string(name) + R"(","KeySchema":[{"AttributeName":")" +
                     std::string(hash) + R"(","KeyType":"HASH"})";
  if (!range.empty()) text += R"(,{"AttributeName":")" + std::string(range) + R"(","KeyType":"RANGE"})";
  return text + R"(],"Projection":)" + std::string(projection) + std::string(more) + "}";
}

std::string global(std::initializer_list<std::string> indexes) {
  std::string text;
  for (const auto& each : indexes) text += (text.empty() ? "" : ",") + each;
  return R"("GlobalSecondaryIndexes":[)" + text + "]";
}
std::string local(std::initializer_list<std::string> indexes) {
  std::string text;
  for (const auto& each : indexes) text += (text.empty() ? "" : ",") + each;
  return R"("LocalSecondaryIndexes":[)" + text + "]";
}

TEST(IndexTables, IndexesAreDescribed) {
  World world;
  EXPECT_THAT(create(world, local({index("by-x", "k", "x", R"({"ProjectionType":"KEYS_ONLY"})")}) + "," +
                                global({index("by-y", "x", "y",
                                              R"({"ProjectionType":"INCLUDE","NonKeyAttributes":["b","a"]})",
                                              R"(,"OnDemandThroughput":{"MaxReadRequestUnits":7})")})),
              HasSubstr(R"("TableStatus":"CREATING")"));
  const auto described = world.ask("DescribeTable", R"({"TableName":"Tab"})");
  const json::Value& table = *described.find("Table");
  EXPECT_EQ(json::write(*table.find("LocalSecondaryIndexes")),
            R"([{"IndexName":"by-x","KeySchema":[{"AttributeName":"k","KeyType":"HASH"},)"
            R"({"AttributeName":"x","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"},)"
            R"("IndexSizeBytes":0,"ItemCount":0,)"
            R"("IndexArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Tab/index/by-x"}])");
  EXPECT_EQ(json::write(*table.find("GlobalSecondaryIndexes")),
            R"([{"IndexName":"by-y","KeySchema":[{"AttributeName":"x","KeyType":"HASH"},)"
            R"({"AttributeName":"y","KeyType":"RANGE"}],)"
            R"("Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["b","a"]},"IndexStatus":"ACTIVE",)"
            R"("ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,"WriteCapacityUnits":0},)"
            R"("IndexSizeBytes":0,"ItemCount":0,)"
            R"("IndexArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Tab/index/by-y",)"
            R"("OnDemandThroughput":{"MaxReadRequestUnits":7},)"
            R"("WarmThroughput":{"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":4000,"Status":"ACTIVE"}}])");
  EXPECT_EQ(json::write(*table.find("AttributeDefinitions")),
            R"([{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"s","AttributeType":"S"},)"
            R"({"AttributeName":"x","AttributeType":"S"},{"AttributeName":"y","AttributeType":"N"}])");
}

TEST(IndexTables, TheirDescriptionSurvivesACrash) {
  World world;
  create(world, local({index("by-x", "k", "x")}) + "," + global({index("by-y", "x", "y")}));
  const std::string before = world.run("DescribeTable", R"({"TableName":"Tab"})");
  world.crash();
  EXPECT_EQ(world.run("DescribeTable", R"({"TableName":"Tab"})"), before);
}

TEST(IndexTables, EntriesAreCountedAndItemsWithoutTheKeysHaveNone) {
  World world;
  create(world, local({index("by-x", "k", "x", R"({"ProjectionType":"KEYS_ONLY"})")}) + "," +
                    global({index("by-y", "x", "y")}));
  world.put(R"({"k":{"S":"a"},"s":{"S":"1"},"x":{"S":"xx"},"y":{"N":"1"},"z":{"S":"long long"}})");
  world.put(R"({"k":{"S":"a"},"s":{"S":"2"},"x":{"S":"xx"}})");
  world.put(R"({"k":{"S":"a"},"s":{"S":"3"}})");
  const auto described = world.ask("DescribeTable", R"({"TableName":"Tab"})");
  const json::Value& by_x = described.find("Table")->find("LocalSecondaryIndexes")->array()[0];
  const json::Value& by_y = described.find("Table")->find("GlobalSecondaryIndexes")->array()[0];
  EXPECT_EQ(json::write(*by_x.find("ItemCount")), "2");
  EXPECT_EQ(json::write(*by_x.find("IndexSizeBytes")), "214");
  EXPECT_EQ(json::write(*by_y.find("ItemCount")), "1");
}

TEST(IndexTables, WrongIndexesAreRefusedWithTheMessagesOfAws) {
  World world;
  const std::string invalid = kInvalid;
  EXPECT_EQ(create(world, local({})), invalid + "List of LocalSecondaryIndexes is empty");
  EXPECT_EQ(create(world, global({})), invalid + "List of GlobalSecondaryIndexes is empty");
  EXPECT_EQ(create(world, global({index("by-y", "x", "y"), index("by-y", "y", "x")})),
            invalid + "Duplicate index name: by-y");
  EXPECT_EQ(create(world, local({index("same", "k", "x")}) + "," + global({index("same", "y")})),
            invalid + "Duplicate index name: same");
  EXPECT_EQ(create(world, global({index("by-z", "z")})),
            invalid + "Some index key attributes are not defined in AttributeDefinitions. Keys: [z], "
                      "AttributeDefinitions: [k, s, x, y]");
  EXPECT_EQ(create(world, global({index("by-x", "x")})),
            invalid + "Some AttributeDefinitions are not used. AttributeDefinitions: [k, s, x, y], keys used: [k, s, x]");
  EXPECT_EQ(create(world, local({index("by-x", "x", "y")})),
            invalid + "Index KeySchema does not have the same leading hash key as table KeySchema for index: by-x. "
                      "index hash key: x, table hash key: k");
  EXPECT_EQ(create(world, local({index("by-k", "k")})),
            invalid + "Index KeySchema does not have a range key for index: by-k");
  EXPECT_EQ(create(world, global({index("by-x", "x", "x")})),
            "ValidationException: Both the Hash Key and the Range Key element in the KeySchema have the same name");
}

TEST(IndexTables, WrongProjectionsAreRefused) {
  World world;
  const std::string invalid = kInvalid;
  const auto with = [&](std::string_view projection) { return create(world, global({index("by-y", "x", "y", projection)})); };
  EXPECT_EQ(with("{}"), invalid + "Unknown ProjectionType: null");
  EXPECT_EQ(with(R"({"ProjectionType":"INCLUDE"})"),
            invalid + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
  EXPECT_EQ(with(R"({"ProjectionType":"ALL","NonKeyAttributes":["a"]})"),
            invalid + "ProjectionType is ALL, but NonKeyAttributes is specified");
  EXPECT_EQ(with(R"({"ProjectionType":"INCLUDE","NonKeyAttributes":["a","a"]})"),
            invalid + "Duplicate element in NonKeyAttributes: a");
  EXPECT_THAT(with(R"({"ProjectionType":"SOME"})"),
              HasSubstr("Value 'SOME' at 'globalSecondaryIndexes.1.member.projection.projectionType' failed to satisfy "
                        "constraint: Member must satisfy enum value set: [ALL, INCLUDE, KEYS_ONLY]"));
}

TEST(IndexTables, ATableHasLimitedIndexes) {
  World world;
  const auto many = [](int count, std::string_view hash, std::string_view range, int attributes) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      std::string names;
      for (int a = 0; a < attributes; ++a) {
        names += (a ? ",\"" : "\"") + std::string("a") + std::to_string(i * attributes + a) + "\"";
      }
      text += (text.empty() ? "" : ",") +
              index("index-" + std::to_string(i), hash, range,
                    attributes ? R"({"ProjectionType":"INCLUDE","NonKeyAttributes":[)" + names + "]}"
                               : R"({"ProjectionType":"ALL"})");
    }
    return text;
  };
  const std::string invalid = kInvalid;
  EXPECT_EQ(create(world, R"("LocalSecondaryIndexes":[)" + many(6, "k", "x", 0) + "]"),
            invalid + "Number of LocalSecondaryIndexes exceeds per-table limit of 5");
  EXPECT_EQ(create(world, R"("GlobalSecondaryIndexes":[)" + many(21, "x", "y", 0) + "]"),
            invalid + "GlobalSecondaryIndex count exceeds the per-table limit of 20");
  EXPECT_EQ(create(world, R"("GlobalSecondaryIndexes":[)" + many(6, "x", "y", 17) + "]"),
            invalid + "Number of NonKeyAttributes of all indexes exceeds the per-table limit of 100");
  EXPECT_THAT(create(world, R"("GlobalSecondaryIndexes":[)" + many(20, "x", "y", 5) + "]"), HasSubstr("CREATING"));
}

TEST(IndexTables, ThroughputOfIndexesFollowsTheBillingMode) {
  World world;
  const std::string invalid = kInvalid;
  constexpr const char* kUnits = R"("ProvisionedThroughput":{"ReadCapacityUnits":3,"WriteCapacityUnits":4})";
  const std::string with_units = index("by-y", "x", "y", R"({"ProjectionType":"ALL"})", std::string(",") + kUnits);
  EXPECT_EQ(create(world, global({with_units})),
            invalid + "ProvisionedThroughput should not be specified for index: by-y when BillingMode is PAY_PER_REQUEST");
  EXPECT_EQ(create(world, global({index("by-y", "x", "y")}), kUnits),
            invalid + "ProvisionedThroughput is not specified for index: by-y");
  EXPECT_THAT(create(world, global({with_units}), kUnits),
              HasSubstr(R"("IndexStatus":"CREATING","ProvisionedThroughput":{"NumberOfDecreasesToday":0,)"
                        R"("ReadCapacityUnits":3,"WriteCapacityUnits":4})"));
}

TEST(IndexTables, APartitionKeyThatIsSortedByIsNotTooLongForThat) {
  World world;
  create(world, global({index("by-s", "s", "k"), index("by-y", "x", "y")}));
  EXPECT_EQ(world.put(R"({"k":{"S":")" + std::string(1024, 'x') + R"("},"s":{"S":"1"}})"), "{}");
  EXPECT_EQ(world.put(R"({"k":{"S":")" + std::string(1025, 'x') + R"("},"s":{"S":"1"}})"),
            std::string(kInvalid) + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes");
}

TEST(IndexTables, AnAttributeThatCannotBeAKeyIsRefused) {
  World world;
  create(world, local({index("by-x", "k", "x")}) + "," + global({index("by-y", "x", "y")}));
  const std::string item = R"({"k":{"S":"a"},"s":{"S":"1"})";
  EXPECT_EQ(world.put(item + R"(,"x":{"N":"1"}})"),
            "ValidationException: One or more parameter values were invalid: Type mismatch for Index Key x Expected: S "
            "Actual: N IndexName: by-x");
  EXPECT_EQ(world.put(item + R"(,"y":{"NULL":true}})"),
            "ValidationException: One or more parameter values were invalid: Type mismatch for Index Key y Expected: N "
            "Actual: NULL IndexName: by-y");
  EXPECT_EQ(world.put(item + R"(,"x":{"S":""}})"),
            "ValidationException: One or more parameter values are not valid. A value specified for a secondary index key "
            "is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: "
            "by-x, IndexKey: x");
  EXPECT_THAT(world.put(item + R"(,"x":{"S":")" + std::string(1025, 'x') + "\"}}"),
              HasSubstr("Aggregated size of all range keys has exceeded the size limit of 1024 bytes"));
  EXPECT_EQ(world.put(item + "}"), "{}");
  EXPECT_THAT(world.run("UpdateItem", R"({"TableName":"Tab","Key":)" + item +
                                          R"(},"UpdateExpression":"SET x = :x",
                                          "ExpressionAttributeValues":{":x":{"BOOL":true}}})"),
              HasSubstr("Type mismatch for Index Key x Expected: S Actual: BOOL IndexName: by-x"));
  EXPECT_THAT(world.run("BatchWriteItem",
                        R"({"RequestItems":{"Tab":[{"PutRequest":{"Item":{"k":{"S":"b"},"s":{"S":"1"}}}},)"
                        R"({"PutRequest":{"Item":{"k":{"S":"c"},"s":{"S":"1"},"y":{"S":"1"}}}}]}})"),
              HasSubstr("Type mismatch for Index Key y"));
  EXPECT_THAT(world.run("Scan", R"({"TableName":"Tab"})"), HasSubstr(R"("Count":1)")) << "nothing of the batch is there";
}

}  // namespace
}  // namespace tidemill::dynamodb
