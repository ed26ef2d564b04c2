// Global indexes whose partition or sort key has several attributes: made, filled, changed, kept through crashes,
// restored.
#include <random>

#include "services/dynamodb/backup_testing.h"
#include "services/dynamodb/index_agreement.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::HasSubstr;
using testing::World;

constexpr const char* kKeys = R"([{"AttributeName":"h1","KeyType":"HASH"},{"AttributeName":"h2","KeyType":"HASH"},)"
                              R"({"AttributeName":"r1","KeyType":"RANGE"},{"AttributeName":"r2","KeyType":"RANGE"}])";
constexpr const char* kDefinitions =
    R"("AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"h1","AttributeType":"S"},)"
    R"({"AttributeName":"h2","AttributeType":"N"},{"AttributeName":"r1","AttributeType":"S"},)"
    R"({"AttributeName":"r2","AttributeType":"N"}],)";
const testing::ExpectedIndex kIndex{"wide", {{"h1", Type::S}, {"h2", Type::N}, {"r1", Type::S}, {"r2", Type::N}}, {}};

std::string definition() {
  return R"({"IndexName":"wide","KeySchema":)" + std::string(kKeys) + R"(,"Projection":{"ProjectionType":"ALL"}})";
}

void create_with_index(World& world, std::string_view more = "") {
  EXPECT_THAT(
      world.run("CreateTable", R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST",)" + std::string(kDefinitions) +
                                   R"("KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],)" + std::string(more) +
                                   R"("GlobalSecondaryIndexes":[)" + definition() + "]}"),
      HasSubstr("CREATING"));
}

std::string add_index() {
  return R"({"TableName":"Tab",)" + std::string(kDefinitions) + R"("GlobalSecondaryIndexUpdates":[{"Create":)" +
         definition() + "}]}";
}

// Some items lack one of the attributes or have it of another type, and are not in the index.
std::string random_item(std::mt19937_64& random) {
  std::string item = R"({"k":{"S":")" + std::to_string(random() % 40) + R"("})";
  for (const std::string_view name : {"h1", "h2", "r1", "r2"}) {
    if (random() % 8 == 0) continue;
    const bool is_number = name.back() == '2';
    item += R"(,")" + std::string(name) + (is_number ? R"(":{"N":")" : R"(":{"S":")") + std::to_string(random() % 3) +
            R"("})";
  }
  return item + "}";
}

std::string schema_of(World& world, std::string_view table) {
  const json::Value answer = world.ask("DescribeTable", R"({"TableName":")" + std::string(table) + R"("})");
  return json::write(*answer.find("Table")->find("GlobalSecondaryIndexes")->array()[0].find("KeySchema"));
}

TEST(IndexKeys, AnIndexOfSeveralAttributesIsDescribedAsItWasMadeAlsoAfterACrash) {
  World world;
  create_with_index(world);
  EXPECT_EQ(schema_of(world, "Tab"), kKeys);
  world.crash();
  EXPECT_EQ(schema_of(world, "Tab"), kKeys);
}

TEST(IndexKeys, AnIndexOfSeveralAttributesAgreesWithItsTableWhateverIsWrittenAndHoweverItCame) {
  for (const bool from_the_beginning : {true, false}) {
    World world;
    std::mt19937_64 random(7);
    if (from_the_beginning)
      create_with_index(world);
    else
      world.create_table("Tab");
    for (int i = 0; i < 60; ++i) EXPECT_EQ(world.put(random_item(random)), "{}");
    if (!from_the_beginning) {
      EXPECT_THAT(world.run("UpdateTable", add_index()), HasSubstr(R"("IndexStatus":"CREATING")"));
      world.settle();
    }
    EXPECT_TRUE(testing::agrees(world, "Tab", kIndex));
    EXPECT_FALSE(testing::scan_items(world, "Tab", "wide").empty());
    for (int i = 0; i < 100; ++i) {
      world.start(random() % 4 ? "PutItem" : "DeleteItem",
                  random() % 4 ? R"({"TableName":"Tab","Item":)" + random_item(random) + "}"
                               : R"({"TableName":"Tab","Key":{"k":{"S":")" + std::to_string(random() % 40) + R"("}}})");
      if (random() % 20 == 0) world.crash();
    }
    world.settle();
    EXPECT_TRUE(testing::agrees(world, "Tab", kIndex));
  }
}

TEST(IndexKeys, ARestoredTableHasTheIndexAndItsEntries) {
  testing::Backups world;
  std::mt19937_64 random(3);
  for (int i = 0; i < 60; ++i) world.put(random_item(random));
  world.run("UpdateTable", add_index());
  world.settle();
  const std::string arn = world.backup();
  world.settle();
  EXPECT_THAT(world.restore(arn, "Again", R"(,"GlobalSecondaryIndexOverride":[)" + definition() + "]"),
              HasSubstr("Again"));
  world.settle();
  EXPECT_EQ(schema_of(world, "Again"), kKeys);
  EXPECT_TRUE(testing::agrees(world, "Again", kIndex));
  EXPECT_FALSE(testing::scan_items(world, "Again", "wide").empty());
  const std::string turned = R"([{"AttributeName":"h2","KeyType":"HASH"},{"AttributeName":"h1","KeyType":"HASH"},)"
                             R"({"AttributeName":"r1","KeyType":"RANGE"},{"AttributeName":"r2","KeyType":"RANGE"}])";
  EXPECT_THAT(world.restore(arn, "Other",
                            R"(,"GlobalSecondaryIndexOverride":[{"IndexName":"wide","KeySchema":)" + turned +
                                R"(,"Projection":{"ProjectionType":"ALL"}}])"),
              HasSubstr("does not match a secondary index that existed in the source table"));
}

TEST(IndexKeys, WhatAllAttributesOfAKindWeighTogetherIsLimited) {
  World world;
  create_with_index(world);
  const auto put = [&](size_t partition, size_t sort) {
    return world.put(R"({"k":{"S":"a"},"h1":{"S":")" + std::string(partition, 'h') +
                     R"("},"h2":{"N":"1"},"r1":{"S":")" + std::string(sort, 'r') + R"("},"r2":{"N":"1"}})");
  };
  EXPECT_EQ(put(2000, 1000), "{}");
  EXPECT_THAT(put(2048, 1), HasSubstr("Size of hashkey has exceeded the maximum size limit of2048 bytes"));
  EXPECT_THAT(put(1, 1024), HasSubstr("Aggregated size of all range keys has exceeded the size limit of 1024 bytes"));
}

// Descriptions that earlier versions wrote are read and written again to the letter.
TEST(IndexKeys, DescriptionsOfTablesWithoutSuchIndexesStayAsTheyWere) {
  const std::string_view stored =
      R"({"version":2,"arn":"arn:aws:dynamodb:us-east-1:000000000000:table/Tab",)"
      R"("id":"00010203-0405-4607-8809-0a0b0c0d0e0f",)"
      R"("created":1000,"partitionKey":{"name":"k","type":"S"},"onDemand":true,"deletionProtected":false,)"
      R"("latestStreamLabel":"","indexes":[{"name":"by-g","number":1,"kind":"global",)"
      R"("partitionKey":{"name":"g","type":"S"},)"
      R"("projection":"ALL","status":"active","sortKey":{"name":"n","type":"N"}}],"lastIndexNumber":1})";
  const auto table = decode_table(stored);
  ASSERT_TRUE(table);
  const std::string again = encode_table(*table);
  EXPECT_THAT(again, HasSubstr(R"({"version":2,)"));
  EXPECT_THAT(again, HasSubstr(R"("partitionKey":{"name":"g","type":"S"},"projection":"ALL","status":"active",)"
                               R"("sortKey":{"name":"n","type":"N"},)"));
  EXPECT_THAT(again, ::testing::Not(HasSubstr("further")));
}

}  // namespace
}  // namespace tidemill::dynamodb
