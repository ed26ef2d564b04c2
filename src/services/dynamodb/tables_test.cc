// The operations on tables, asked as clients ask them.
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::World;

constexpr const char* kProvisioned = R"({"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],
  "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":6}})";

std::string text(const json::Value& document, std::initializer_list<std::string_view> path) {
  const json::Value* value = &document;
  for (const auto name : path) {
    value = value->find(name);
    if (!value) return "(missing)";
  }
  return value->is_string() ? value->string() : json::write(*value);
}

TEST(Tables, ANewTableIsCreatingAndThenActive) {
  World world;
  const auto created = world.ask("CreateTable", kProvisioned);
  EXPECT_EQ(text(created, {"TableDescription", "TableStatus"}), "CREATING");
  EXPECT_EQ(text(created, {"TableDescription", "TableArn"}), "arn:aws:dynamodb:us-east-1:000000000000:table/Tab");
  const auto described = world.ask("DescribeTable", R"({"TableName":"Tab"})");
  EXPECT_EQ(text(described, {"Table", "TableStatus"}), "ACTIVE");
  EXPECT_EQ(text(described, {"Table", "TableId"}), text(created, {"TableDescription", "TableId"}));
  EXPECT_EQ(text(described, {"Table", "TableId"}).size(), 36u);
  EXPECT_EQ(text(described, {"Table", "KeySchema"}), R"([{"AttributeName":"k","KeyType":"HASH"}])");
  EXPECT_EQ(text(described, {"Table", "AttributeDefinitions"}), R"([{"AttributeName":"k","AttributeType":"S"}])");
  EXPECT_EQ(text(described, {"Table", "ProvisionedThroughput"}),
            R"({"NumberOfDecreasesToday":0,"ReadCapacityUnits":5,"WriteCapacityUnits":6})");
  EXPECT_EQ(text(described, {"Table", "ItemCount"}), "0");
}

TEST(Tables, AnOnDemandTableReportsNoThroughput) {
  World world;
  world.create_table("Tab");
  const auto described = world.ask("DescribeTable", R"({"TableName":"Tab"})");
  EXPECT_EQ(text(described, {"Table", "BillingModeSummary", "BillingMode"}), "PAY_PER_REQUEST");
  EXPECT_EQ(text(described, {"Table", "ProvisionedThroughput"}),
            R"({"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,"WriteCapacityUnits":0})");
}

TEST(Tables, AnArnNamesATableLikeItsName) {
  World world;
  world.create_table("Tab");
  EXPECT_THAT(world.run("DescribeTable", R"({"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/Tab"})"),
              HasSubstr("ACTIVE"));
  EXPECT_THAT(world.run("DescribeTable", R"({"TableName":"arn:aws:dynamodb:eu-west-1:000000000000:table/Tab"})"),
              HasSubstr("ValidationException"));
}

TEST(Tables, ASecondTableOfTheNameIsRefused) {
  World world;
  world.create_table("Tab");
  EXPECT_EQ(world.run("CreateTable", kProvisioned), "ResourceInUseException: Table already exists: Tab");
}

TEST(Tables, WrongDefinitionsAreRefusedWithTheMessagesOfAws) {
  World world;
  const auto create = [&](std::string_view rest) {
    return world.run("CreateTable", R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST",)" + std::string(rest) + "}");
  };
  EXPECT_EQ(create(R"("AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"x","AttributeType":"S"}],
                      "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}])"),
            "ValidationException: One or more parameter values were invalid: Number of attributes in KeySchema does not "
            "exactly match number of attributes defined in AttributeDefinitions");
  EXPECT_EQ(create(R"("AttributeDefinitions":[{"AttributeName":"x","AttributeType":"S"}],
                      "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}])"),
            "ValidationException: One or more parameter values were invalid: Some index key attributes are not defined in "
            "AttributeDefinitions. Keys: [k], AttributeDefinitions: [x]");
  EXPECT_EQ(create(R"("AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],
                      "KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"k","KeyType":"RANGE"}])"),
            "ValidationException: Invalid KeySchema: Some index key attribute have no definition");
  EXPECT_EQ(create(R"("AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],
                      "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],
                      "ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1})"),
            "ValidationException: One or more parameter values were invalid: Neither ReadCapacityUnits nor "
            "WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST");
  EXPECT_EQ(world.run("CreateTable",
                      R"({"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],
                          "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]})"),
            "ValidationException: One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits "
            "must both be specified when BillingMode is PROVISIONED");
  EXPECT_THAT(create(R"("AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],
                        "KeySchema":[{"AttributeName":"k","KeyType":"SORT"}])"),
              HasSubstr("Value 'SORT' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy "
                        "enum value set: [HASH, RANGE]"));
}

TEST(Tables, WhatIsNotSupportedIsRefusedByName) {
  World world;
  EXPECT_THAT(world.run("CreateTable",
                        R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],
                            "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"VectorIndexes":[{"IndexName":"i"}]})"),
              HasSubstr("VectorIndexes"));
}

TEST(Tables, TablesAreListedByNameAndPaged) {
  World world;
  for (const char* name : {"Cccc", "Aaaa", "Bbbb"}) world.create_table(name);
  EXPECT_EQ(world.run("ListTables", "{}"), R"({"TableNames":["Aaaa","Bbbb","Cccc"]})");
  EXPECT_EQ(world.run("ListTables", R"({"Limit":2})"),
            R"({"TableNames":["Aaaa","Bbbb"],"LastEvaluatedTableName":"Bbbb"})");
  EXPECT_EQ(world.run("ListTables", R"({"ExclusiveStartTableName":"Bbbb"})"), R"({"TableNames":["Cccc"]})");
}

TEST(Tables, ADeletedTableIsGoneWithItsItems) {
  World world;
  world.create_table("Tab");
  world.put(R"({"k":{"S":"a"}})");
  EXPECT_THAT(world.run("DeleteTable", R"({"TableName":"Tab"})"), HasSubstr("DELETING"));
  EXPECT_EQ(world.run("DescribeTable", R"({"TableName":"Tab"})"),
            "ResourceNotFoundException: Requested resource not found: Table: Tab not found");
  EXPECT_EQ(world.put(R"({"k":{"S":"a"}})"), "ResourceNotFoundException: Requested resource not found");
  world.create_table("Tab");
  EXPECT_EQ(world.run("GetItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}}})"), "{}");
}

TEST(Tables, AProtectedTableCannotBeDeleted) {
  World world;
  world.create_table("Tab");
  world.run("UpdateTable", R"({"TableName":"Tab","DeletionProtectionEnabled":true})");
  EXPECT_EQ(world.run("DeleteTable", R"({"TableName":"Tab"})"),
            "ValidationException: 1 validation error detected: Table 'Tab' can't be deleted while "
            "DeletionProtectionEnabled is set to True");
  world.run("UpdateTable", R"({"TableName":"Tab","DeletionProtectionEnabled":false})");
  EXPECT_THAT(world.run("DeleteTable", R"({"TableName":"Tab"})"), HasSubstr("DELETING"));
}

TEST(Tables, AStreamIsSwitchedOnAndOff) {
  World world;
  world.create_table("Tab");
  EXPECT_EQ(world.run("UpdateTable", R"({"TableName":"Tab","StreamSpecification":{"StreamEnabled":false}})"),
            "ValidationException: Table has no stream to disable: TableName: Tab");
  const auto on = world.ask("UpdateTable",
                            R"({"TableName":"Tab","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})");
  EXPECT_EQ(text(on, {"TableDescription", "StreamSpecification"}),
            R"({"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"})");
  const std::string arn = text(on, {"TableDescription", "LatestStreamArn"});
  EXPECT_EQ(arn, "arn:aws:dynamodb:us-east-1:000000000000:table/Tab/stream/2026-03-14T00:00:00.000");
  EXPECT_EQ(world.run("UpdateTable",
                      R"({"TableName":"Tab","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"}})"),
            "ValidationException: Table already has an enabled stream: TableName: Tab");
  const auto off = world.ask("UpdateTable", R"({"TableName":"Tab","StreamSpecification":{"StreamEnabled":false}})");
  EXPECT_EQ(text(off, {"TableDescription", "StreamSpecification"}), "(missing)");
  EXPECT_EQ(text(off, {"TableDescription", "LatestStreamArn"}), arn);
  const auto again = world.ask("UpdateTable",
                               R"({"TableName":"Tab","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"}})");
  EXPECT_NE(text(again, {"TableDescription", "LatestStreamArn"}), arn);
}

TEST(Tables, ThroughputHasABound) {
  World world;
  constexpr const char* kRefused = "ValidationException: Given value 1000000000001 for ReadCapacityUnits is out of bounds";
  EXPECT_EQ(world.run("UpdateTable", R"({"TableName":"None","ProvisionedThroughput":{"ReadCapacityUnits":1000000000001,"WriteCapacityUnits":1}})"),
            kRefused);
  EXPECT_EQ(world.run("CreateTable", R"({"TableName":"Tab","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[],
      "ProvisionedThroughput":{"ReadCapacityUnits":1000000000001,"WriteCapacityUnits":1}})"),
            kRefused);
}

TEST(Tables, AnswersOfCreateAndDeleteLeaveMembersOut) {
  World world;
  const auto created = world.ask("CreateTable", kProvisioned);
  EXPECT_EQ(text(created, {"TableDescription", "WarmThroughput"}), "(missing)");
  EXPECT_EQ(text(created, {"TableDescription", "BillingModeSummary"}), "(missing)");
  const auto deleted = world.ask("DeleteTable", R"({"TableName":"Tab"})");
  for (const char* member : {"AttributeDefinitions", "KeySchema", "CreationDateTime", "WarmThroughput"}) {
    EXPECT_EQ(text(deleted, {"TableDescription", member}), "(missing)");
  }
  EXPECT_EQ(text(deleted, {"TableDescription", "ItemCount"}), "0");
}

TEST(Tables, ThroughputAndBillingModeChange) {
  World world;
  world.run("CreateTable", kProvisioned);
  EXPECT_THAT(world.run("UpdateTable", R"({"TableName":"Tab","ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":6}})"),
              HasSubstr("The provisioned throughput for the table will not change."));
  const auto lower =
      world.ask("UpdateTable", R"({"TableName":"Tab","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":6}})");
  EXPECT_EQ(text(lower, {"TableDescription", "ProvisionedThroughput", "ReadCapacityUnits"}), "5") << "while UPDATING";
  const auto lowered = world.ask("DescribeTable", R"({"TableName":"Tab"})");
  EXPECT_EQ(text(lowered, {"Table", "ProvisionedThroughput", "NumberOfDecreasesToday"}), "1");
  EXPECT_EQ(text(lowered, {"Table", "BillingModeSummary"}), "(missing)");
  world.run("UpdateTable", R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST"})");
  const auto on_demand = world.ask("DescribeTable", R"({"TableName":"Tab"})");
  EXPECT_EQ(text(on_demand, {"Table", "ProvisionedThroughput", "ReadCapacityUnits"}), "0");
  EXPECT_EQ(text(on_demand, {"Table", "BillingModeSummary", "BillingMode"}), "PAY_PER_REQUEST");
  EXPECT_THAT(world.run("UpdateTable", R"({"TableName":"Tab","BillingMode":"PROVISIONED"})"),
              HasSubstr("must both be specified when BillingMode is PROVISIONED"));
  EXPECT_THAT(world.run("UpdateTable", R"({"TableName":"Tab"})"), HasSubstr("At least one of"));
}

TEST(Tables, TagsAreKept) {
  World world;
  world.create_table("Tab");
  constexpr const char* kArn = R"("ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Tab")";
  world.run("TagResource", "{" + std::string(kArn) + R"(,"Tags":[{"Key":"a","Value":"1"},{"Key":"b","Value":"2"}]})");
  world.run("UntagResource", "{" + std::string(kArn) + R"(,"TagKeys":["a"]})");
  EXPECT_EQ(world.run("ListTagsOfResource", "{" + std::string(kArn) + "}"), R"({"Tags":[{"Key":"b","Value":"2"}]})");
  EXPECT_THAT(world.run("ListTagsOfResource", R"({"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Other"})"),
              HasSubstr("ResourceNotFoundException"));
}

TEST(Tables, TagsThatCannotBeAreRefusedAtTheCreationAndLater) {
  World world;
  world.create_table("Tab");
  const std::string arn = R"("ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Tab")";
  const auto refused = [&](std::string_view tags, std::string_view words) {
    const std::string members = base::cat(R"("Tags":[{"Key":"a","Value":"1"},)", tags, "]");
    const std::string refusal = base::cat("ValidationException: ", words);
    EXPECT_EQ(world.run("TagResource", base::cat("{", arn, ",", members, "}")), refusal);
    const std::string table = R"({"TableName":"Other","BillingMode":"PAY_PER_REQUEST",)"
                              R"("KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],)"
                              R"("AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],)";
    EXPECT_EQ(world.run("CreateTable", base::cat(table, members, "}")), refusal);
  };
  for (const char* key : {"aws:b", "AWS:b", "Aws:b"}) {
    const std::string words = base::cat("Tag Key cannot be prefixed with aws:, Key: ", key);
    refused(base::cat(R"({"Key":")", key, R"(","Value":"1"})"), words);
    EXPECT_EQ(world.run("UntagResource", base::cat("{", arn, R"(,"TagKeys":[")", key, "\"]}")),
              base::cat("ValidationException: ", words));
  }
  refused(R"({"Key":"b!","Value":"1"})", "The Tag Key provided is invalid, Key: b!");
  refused(R"({"Key":"b","Value":"{1}"})", "The Tag Value provided is invalid, Value: {1}");
  refused(R"({"Key":"a","Value":"2"})", "Duplicate Tag Keys provided as input: Duplicate Tag Key found a");
  EXPECT_EQ(world.run("ListTagsOfResource", base::cat("{", arn, "}")), R"({"Tags":[]})");
}

TEST(Tables, ItemsAreCounted) {
  World world;
  world.create_table("Tab");
  for (int i = 0; i < 7; ++i) world.put(R"({"k":{"S":")" + std::to_string(i) + R"("}})");
  EXPECT_EQ(text(world.ask("DescribeTable", R"({"TableName":"Tab"})"), {"Table", "ItemCount"}), "7");
  EXPECT_EQ(text(world.ask("DescribeTable", R"({"TableName":"Tab"})"), {"Table", "TableSizeBytes"}), "714");
}

TEST(Tables, TheSizeOfALargeTableIsEstimated) {
  World world;
  world.create_table("Tab");
  for (int batch = 0; batch < 200; ++batch) {
    std::string writes;
    for (int i = 0; i < 25; ++i) {
      writes += (i ? "," : "") + (R"({"PutRequest":{"Item":{"k":{"S":")" + std::to_string(batch * 25 + i) + R"("}}}})");
    }
    world.run("BatchWriteItem", R"({"RequestItems":{"Tab":[)" + writes + "]}}");
  }
  const auto described = world.ask("DescribeTable", R"({"TableName":"Tab"})");
  EXPECT_NEAR(std::stod(text(described, {"Table", "ItemCount"})), 5000, 500);
}

TEST(Tables, LimitsAndEndpointsAreDescribed) {
  World world;
  EXPECT_EQ(world.run("DescribeLimits", "{}"),
            R"({"AccountMaxReadCapacityUnits":80000,"AccountMaxWriteCapacityUnits":80000,)"
            R"("TableMaxReadCapacityUnits":40000,"TableMaxWriteCapacityUnits":40000})");
  EXPECT_EQ(world.run("DescribeEndpoints", "{}"),
            R"({"Endpoints":[{"Address":"127.0.0.1:4566","CachePeriodInMinutes":1440}]})");
}

TEST(Tables, WhatIsDescribedSurvivesACrash) {
  World world;
  world.create_table("Tab", "N", "NEW_IMAGE");
  const std::string before = world.run("DescribeTable", R"({"TableName":"Tab"})");
  world.crash();
  EXPECT_EQ(world.run("DescribeTable", R"({"TableName":"Tab"})"), before);
}

}  // namespace
}  // namespace tidemill::dynamodb
