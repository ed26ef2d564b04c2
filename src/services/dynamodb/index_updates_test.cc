// Indexes created, changed and deleted on a live table, asked as clients ask it; and their backfill through crashes.
#include <cstdlib>
#include <random>

#include "services/dynamodb/index_agreement.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::World;

constexpr uint64_t kSeedsByDefault = 20;  // of the simulation; TIDEMILL_SIM_SEEDS=N runs more
constexpr const char* kInvalid = "ValidationException: One or more parameter values were invalid: ";
constexpr const char* kUnits = R"("ProvisionedThroughput":{"ReadCapacityUnits":3,"WriteCapacityUnits":4})";

std::string update(std::string_view updates, std::string_view rest = "") {
  return R"({"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},)"
         R"({"AttributeName":"g","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[)" +
         std::string(updates) + "]" + std::string(rest) + "}";
}

std::string creation(std::string_view name, std::string_view more = "") {
  return R"({"Create":{"IndexName":")" + std::string(name) +
         R"(","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE",)"
         R"("NonKeyAttributes":["a"]})" + std::string(more) + "}}";
}

std::string deletion(std::string_view name) { return R"({"Delete":{"IndexName":")" + std::string(name) + "\"}}"; }

const testing::ExpectedIndex kByG{"by-g", {{"g", Type::S}}, {"k", "g", "a"}};

void fill(World& world, int items) {
  for (int from = 0; from < items; from += 25) {
    std::string writes;
    for (int i = from; i < std::min(from + 25, items); ++i) {
      const std::string id = std::to_string(i);
      writes += (writes.empty() ? "" : ",") + (R"({"PutRequest":{"Item":{"k":{"S":")" + id + R"("},"a":{"N":")" + id +
                                               R"("},"b":{"S":"b"},"g":{")" + (i % 10 ? "S" : "N") + R"(":")" +
                                               std::to_string(i % 7) + R"("}}}})");
    }
    EXPECT_EQ(world.run("BatchWriteItem", R"({"RequestItems":{"Tab":[)" + writes + "]}}"), R"({"UnprocessedItems":{}})");
  }
}

// "ACTIVE", "CREATING true", "" if there is none.
std::string status(World& world, std::string_view name) {
  const json::Value answer = world.ask("DescribeTable", R"({"TableName":"Tab"})");
  const json::Value* indexes = answer.find("Table")->find("GlobalSecondaryIndexes");
  if (!indexes) return "";
  for (const json::Value& index : indexes->array()) {
    if (index.find("IndexName")->string() != name) continue;
    const json::Value* backfilling = index.find("Backfilling");
    return index.find("IndexStatus")->string() + (backfilling ? " " + json::write(*backfilling) : "");
  }
  return "";
}

TEST(IndexUpdates, AnIndexIsFilledInTheBackgroundAndCannotBeReadBefore) {
  World world;
  world.create_table("Tab");
  fill(world, 3000);
  EXPECT_THAT(world.run("UpdateTable", update(creation("by-g"))), HasSubstr(R"("IndexStatus":"CREATING")"));
  EXPECT_EQ(world.run("Scan", R"({"TableName":"Tab","IndexName":"by-g"})"),
            "ValidationException: Cannot read from backfilling global secondary index: by-g");
  EXPECT_EQ(status(world, "by-g"), "CREATING true");
  EXPECT_EQ(world.run("UpdateTable", update(creation("other"))),
            "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or deleted "
            "simultaneously per table");
  world.settle();
  EXPECT_EQ(status(world, "by-g"), "ACTIVE");
  EXPECT_TRUE(testing::agrees(world, "Tab", kByG));
  EXPECT_EQ(testing::scan_items(world, "Tab", "by-g").size(), 2700u) << "every tenth item has a number: passed over";
}

TEST(IndexUpdates, AnItemThatTheBackfillPassedOverCanStillBeChangedElsewhere) {
  World world;
  world.create_table("Tab");
  world.put(R"({"k":{"S":"a"},"g":{"N":"1"}})");
  world.run("UpdateTable", update(creation("by-g")));
  world.settle();
  const auto change = [&](std::string_view expression) {
    return world.run("UpdateItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}},"UpdateExpression":")" +
                                       std::string(expression) + R"(","ExpressionAttributeValues":{":x":{"N":"2"}}})");
  };
  EXPECT_EQ(change("SET a = :x"), "{}");
  EXPECT_THAT(change("SET g = :x"), HasSubstr("Type mismatch for Index Key g Expected: S Actual: N IndexName: by-g"));
}

TEST(IndexUpdates, ADeletedIndexIsGoneWithItsEntries) {
  World world;
  world.create_table("Tab");
  fill(world, 50);
  world.run("UpdateTable", update(creation("by-g")));
  world.settle();
  EXPECT_THAT(world.run("UpdateTable", update(deletion("by-g"))), HasSubstr(R"("IndexStatus":"DELETING")"));
  EXPECT_EQ(status(world, "by-g"), "");
  EXPECT_EQ(world.run("Scan", R"({"TableName":"Tab","IndexName":"by-g"})"),
            "ValidationException: The table does not have the specified index: by-g");
  world.put(R"({"k":{"S":"new"},"g":{"N":"1"}})");
  world.run("UpdateTable", update(creation("by-g")));
  world.settle();
  EXPECT_TRUE(testing::agrees(world, "Tab", kByG));
}

TEST(IndexUpdates, AnIndexCanBeDeletedWhileItIsFilled) {
  World world;
  world.create_table("Tab");
  fill(world, 2000);
  world.run("UpdateTable", update(creation("by-g")));
  EXPECT_THAT(world.run("UpdateTable", update(deletion("by-g"))), HasSubstr("DELETING"));
  world.settle();
  EXPECT_EQ(status(world, "by-g"), "");
}

TEST(IndexUpdates, WrongUpdatesAreRefused) {
  World world;
  world.create_table("Tab");
  const std::string invalid = kInvalid;
  EXPECT_EQ(world.run("UpdateTable", update("")), invalid + "List of GlobalSecondaryIndexUpdates is empty");
  EXPECT_THAT(world.run("UpdateTable", update("{}")), HasSubstr("GlobalSecondaryIndexUpdate.Delete must not be null"));
  EXPECT_EQ(world.run("UpdateTable", update(deletion("abc") + "," + deletion("abc"))),
            invalid + "Only one global secondary index update per index is allowed simultaneously. Index: abc");
  EXPECT_THAT(world.run("UpdateTable", update(deletion("abc") + "," + creation("abd"))),
              HasSubstr("LimitExceededException: Subscriber limit exceeded: Only 1 online index"));
  EXPECT_THAT(world.run("UpdateTable", update(deletion("abc"))), HasSubstr("ResourceNotFoundException"));
  EXPECT_EQ(world.run("UpdateTable", R"({"TableName":"Tab","GlobalSecondaryIndexUpdates":[)" + creation("by-g") + "]}"),
            invalid + "AttributeDefinitions is not specified for index: by-g");
  EXPECT_EQ(world.run("UpdateTable", update(creation("by-g", std::string(",") + kUnits))),
            invalid + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: by-g when BillingMode "
                      "is PAY_PER_REQUEST");
  EXPECT_EQ(world.run("UpdateTable", update(creation("by-g"), R"(,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"})")),
            invalid + "You cannot create or delete index while changing stream status");
  world.run("UpdateTable", update(creation("by-g")));
  world.settle();
  EXPECT_EQ(world.run("UpdateTable", update(creation("by-g"))),
            "ValidationException: Attempting to create an index which already exists");
  EXPECT_EQ(world.run("UpdateTable", update(R"({"Update":{"IndexName":"by-g",)" + std::string(kUnits) + "}}")),
            invalid + "The only Updates for index: by-g when TableThroughputMode is PAY_PER_REQUEST can be to "
                      "OnDemandThroughput, WarmThroughput");
  EXPECT_THAT(world.run("UpdateTable", update(R"({"Update":{"IndexName":"by-g","OnDemandThroughput":{"MaxReadRequestUnits":5}}})")),
              HasSubstr(R"("OnDemandThroughput":{"MaxReadRequestUnits":5})"));
}

TEST(IndexUpdates, ThroughputOfAnIndexChangesAndFollowsTheBillingMode) {
  World world;
  world.create_table("Tab");
  world.run("UpdateTable", update(creation("by-g")));
  world.settle();
  EXPECT_EQ(world.run("UpdateTable", R"({"TableName":"Tab","BillingMode":"PROVISIONED",)" + std::string(kUnits) + "}"),
            std::string(kInvalid) + "ProvisionedThroughput must be specified for index: by-g");
  const std::string units = R"({"Update":{"IndexName":"by-g",)" + std::string(kUnits) + "}}";
  EXPECT_THAT(world.run("UpdateTable", update(units, std::string(R"(,"BillingMode":"PROVISIONED",)") + kUnits)),
              HasSubstr(R"("IndexStatus":"UPDATING","ProvisionedThroughput":{"LastIncreaseDateTime":)"));
  EXPECT_THAT(world.run("UpdateTable", update(units)),
              HasSubstr("The provisioned throughput for the index by-g will not change."));
  EXPECT_THAT(world.run("UpdateTable", R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST"})"),
              HasSubstr(R"("ReadCapacityUnits":0)"));
  EXPECT_THAT(world.run("DescribeTable", R"({"TableName":"Tab"})"), Not(HasSubstr(R"("ReadCapacityUnits":3)")));
}

// Random writes, indexes that come and go, conflicts, slow commits and crashes. An index that can be read agrees with its
// table after every crash, and in the end every index is filled.
class IndexSimulation {
 public:
  explicit IndexSimulation(uint64_t seed) : world_(seed, store::SimFaults{}), random_(seed) {
    EXPECT_THAT(world_.run("CreateTable", R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[
        {"AttributeName":"k","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"GlobalSecondaryIndexes":[{"IndexName":"first",
        "KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]})"),
                HasSubstr("CREATING"));
    fill_some();
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      write();
      if (random_() % 30 == 0) world_.start("UpdateTable", update(creation("by-g")));
      if (random_() % 90 == 0) world_.start("UpdateTable", update(deletion("by-g")));
      for (int i = static_cast<int>(random_() % 20); i > 0; --i) world_.executor.run_one();
      if (random_() % 25 != 0) continue;
      world_.crash();
      check();
    }
    world_.settle();
    world_.run("UpdateTable", update(creation("by-g")));
    world_.settle();
    EXPECT_EQ(status(world_, "by-g"), "ACTIVE");
    check();
  }

  // How often the index that comes and goes could be read and was compared.
  [[nodiscard]] int checks() const { return checks_; }

 private:
  void fill_some() {
    for (int i = 0; i < 300; ++i) {
      world_.put(R"({"k":{"S":"old)" + std::to_string(i) + R"("},"g":{"S":")" + std::to_string(i % 3) + R"("}})");
    }
  }

  void write() {
    const std::string key = R"({"k":{"S":")" + std::string(random_() % 2 ? "old" : "new") + std::to_string(random_() % 40) + R"("})";
    const std::string group = R"("g":{"S":")" + std::to_string(random_() % 3) + R"("})";
    switch (random_() % 5) {
      case 0:
        world_.start("DeleteItem", R"({"TableName":"Tab","Key":)" + key + "}}");
        break;
      case 2:
        world_.start("TransactWriteItems", R"({"TransactItems":[{"Put":{"TableName":"Tab","Item":)" + key + "," + group +
                                               R"(}}},{"Delete":{"TableName":"Tab","Key":{"k":{"S":"old)" +
                                               std::to_string(50 + random_() % 40) + R"("}}}}]})");
        break;
      case 1:
        world_.start("UpdateItem", R"({"TableName":"Tab","Key":)" + key + R"(},"UpdateExpression":"ADD a :one REMOVE )" +
                                       std::string(random_() % 3 ? "b" : "g") + R"(","ExpressionAttributeValues":{":one":{"N":"1"}}})");
        break;
      default:
        world_.start("PutItem", R"({"TableName":"Tab","Item":)" + key + "," + group + "}}");
    }
  }

  void check() {
    EXPECT_TRUE(testing::agrees(world_, "Tab", {"first", {{"g", Type::S}}, {}}));
    // After a crash nobody writes, but a backfill may be under way.
    if (status(world_, "by-g") != "ACTIVE") return;
    EXPECT_TRUE(testing::agrees(world_, "Tab", kByG));
    ++checks_;
  }

  World world_;
  std::mt19937_64 random_;
  int checks_ = 0;
};

TEST(IndexSimulation, AnIndexNeverDisagreesWithItsTable) {
  const char* asked = std::getenv("TIDEMILL_SIM_SEEDS");
  const uint64_t seeds = asked ? std::strtoull(asked, nullptr, 10) : kSeedsByDefault;
  int checks = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    IndexSimulation simulation(seed);
    simulation.run(150);
    checks += simulation.checks();
  }
  EXPECT_GT(checks, static_cast<int>(seeds)) << "the index that comes and goes could hardly ever be read";
}

}  // namespace
}  // namespace tidemill::dynamodb
