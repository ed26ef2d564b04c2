// The sizes of item collections: whatever writes items, the counter of a collection is what its items and their entries in
// local indexes add up to, and none grows beyond the limit.
#include <random>

#include "services/dynamodb/index_agreement.h"
#include "services/dynamodb/item_collection.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::HasSubstr;
using testing::World;

constexpr const char* kTooLarge = "ItemCollectionSizeLimitExceededException: Collection size exceeded.";

// Tab has the keys k (S) and s (N) and two local indexes: "all" on l (S) of everything, "keys" on m (N) of keys.
void create_table_with_local_indexes(World& world) {
  EXPECT_THAT(world.run("CreateTable", R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[
    {"AttributeName":"k","AttributeType":"S"},{"AttributeName":"s","AttributeType":"N"},
    {"AttributeName":"l","AttributeType":"S"},{"AttributeName":"m","AttributeType":"N"}],
    "KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"s","KeyType":"RANGE"}],
    "LocalSecondaryIndexes":[
      {"IndexName":"all","Projection":{"ProjectionType":"ALL"},
       "KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"l","KeyType":"RANGE"}]},
      {"IndexName":"keys","Projection":{"ProjectionType":"KEYS_ONLY"},
       "KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"m","KeyType":"RANGE"}]}]})"),
              HasSubstr("CREATING"));
}

Table table_named(World& world, const std::string& name) {
  const TableAddress address{std::string(World::kAccount), std::string(World::kRegion), name};
  return world.await([](World& world, TableAddress address) -> Task<Table> {
    co_return (co_await load_table(*world.store->snapshot(), address)).value();
  }(world, address));
}

int64_t counted(World& world, const std::string& name, const Value& partition) {
  const Table table = table_named(world, name);
  const std::string key = item_key(table.id, partition, Value::number(base::Decimal(1))).bytes;
  return world.await([](World& world, const Table& table, const std::string& key) -> Task<int64_t> {
    co_return co_await collection_bytes(*world.store->snapshot(), table, key);
  }(world, table, key));
}

int64_t added_up(World& world, const std::string& name, const Value& partition) {
  int64_t bytes = 0;
  for (const char* index : {"", "all", "keys"}) {
    for (const Item& item : testing::scan_items(world, name, index)) {
      if (item.find("k") == ValueView(partition)) bytes += static_cast<int64_t>(lang::dynamodb::item_size(item));
    }
  }
  return bytes;
}

struct ItemCollections : ::testing::Test {
  ItemCollections() { create_table_with_local_indexes(world); }

  // {"k":{"S":"p"},"s":{"N":"1"}, …} with so many bytes of filler, in index "all".
  static std::string item(int s, size_t filler) {
    return R"({"k":{"S":"p"},"s":{"N":")" + std::to_string(s) + R"("},"l":{"S":"l"},"f":{"S":")" +
           std::string(filler, 'x') + R"("}})";
  }
  int64_t counted() { return dynamodb::counted(world, "Tab", Value::string("p")); }
  int64_t added_up() { return dynamodb::added_up(world, "Tab", Value::string("p")); }

  static constexpr int64_t kLimit = 1000;
  World world{1, store::SimFaults::none(), {.collection_bytes_max = kLimit}};
};

TEST_F(ItemCollections, AnItemCountsOnceForTheTableAndOnceForEachEntry) {
  EXPECT_EQ(counted(), 0);
  world.put(R"({"k":{"S":"p"},"s":{"N":"1"}})");
  EXPECT_EQ(counted(), 2 + 3);
  world.put(R"({"k":{"S":"p"},"s":{"N":"1"},"m":{"N":"1"},"l":{"S":"l"},"f":{"S":"four"}})");
  const int64_t item = 2 + 3 + 3 + 2 + 5;
  EXPECT_EQ(counted(), item + item + (2 + 3 + 3));
  EXPECT_EQ(counted(), added_up());
  world.run("DeleteItem", R"({"TableName":"Tab","Key":{"k":{"S":"p"},"s":{"N":"1"}}})");
  EXPECT_EQ(counted(), 0);
}

TEST_F(ItemCollections, GrowsToItsLimitAndNoFurther) {
  // Two copies of 9 + 491 bytes.
  const size_t filler = kLimit / 2 - (2 + 3 + 2 + 1);
  EXPECT_EQ(world.put(item(1, filler + 1)), kTooLarge);
  EXPECT_EQ(world.put(item(1, filler)), "{}");
  EXPECT_EQ(counted(), kLimit);
  EXPECT_EQ(world.put(R"({"k":{"S":"p"},"s":{"N":"2"}})"), kTooLarge);
  EXPECT_EQ(world.put(R"({"k":{"S":"other"},"s":{"N":"2"}})"), "{}") << "every collection has its own limit";
  EXPECT_EQ(world.put(item(1, filler - 10)), "{}") << "shrinking it is allowed";
  EXPECT_EQ(world.put(R"({"k":{"S":"p"},"s":{"N":"2"}})"), "{}");
  EXPECT_EQ(counted(), added_up());
}

TEST_F(ItemCollections, EveryKindOfWriteIsRefused) {
  EXPECT_EQ(world.put(item(1, 480)), "{}");
  const std::string large = item(2, 480);
  const std::string update = R"({"TableName":"Tab","Key":{"k":{"S":"p"},"s":{"N":"2"}},"UpdateExpression":"SET f = :f",)"
                             R"("ExpressionAttributeValues":{":f":{"S":")" + std::string(480, 'x') + R"("}}})";
  EXPECT_EQ(world.run("UpdateItem", update), kTooLarge);
  EXPECT_EQ(world.run("BatchWriteItem", R"({"RequestItems":{"Tab":[{"PutRequest":{"Item":)" + large + "}}]}}"), kTooLarge);
  EXPECT_THAT(world.run("TransactWriteItems", R"({"TransactItems":[{"Put":{"TableName":"Tab","Item":{"k":{"S":"q"},"s":{"N":"1"}}}},)"
                                              R"({"Put":{"TableName":"Tab","Item":)" + large + "}}]}"),
              ::testing::AllOf(HasSubstr("TransactionCanceledException"), HasSubstr("[None, ItemCollectionSizeLimitExceeded]"),
                               HasSubstr(R"({"Code":"ItemCollectionSizeLimitExceeded","Message":"Collection size exceeded."})")));
  const std::string insert = R"("INSERT INTO Tab VALUE {'k':'p','s':2,'f':')" + std::string(480, 'x') + R"('}")";
  EXPECT_EQ(world.run("ExecuteStatement", R"({"Statement":)" + insert + "}"), kTooLarge);
  EXPECT_THAT(world.run("BatchExecuteStatement", R"({"Statements":[{"Statement":)" + insert + "}]}"),
              HasSubstr(R"("Error":{"Code":"ItemCollectionSizeLimitExceeded","Message":"Collection size exceeded."})"));
  EXPECT_EQ(counted(), added_up());
  EXPECT_EQ(testing::scan_items(world, "Tab").size(), 1u);
}

TEST_F(ItemCollections, WritersOfOneCollectionShareCommitsAndCountEachOther) {
  std::vector<std::shared_ptr<World::Request>> requests;
  for (int i = 0; i < 50; ++i) {
    const std::string n = std::to_string(i % 20);
    requests.push_back(world.start("UpdateItem", R"({"TableName":"Tab","Key":{"k":{"S":"p"},"s":{"N":")" + n +
                                                     R"("}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}})"));
  }
  const uint64_t commits = world.store->metrics().commits;
  world.settle();
  for (const auto& request : requests) EXPECT_EQ(request->answer, "{}");
  EXPECT_LT(world.store->metrics().commits - commits, 10u);
  EXPECT_EQ(counted(), added_up());
  int sum = 0;
  for (const Item& item : testing::scan_items(world, "Tab")) {
    sum += static_cast<int>(item.find("n")->number().floor_to_int64());
  }
  EXPECT_EQ(sum, 50);
}

TEST_F(ItemCollections, ARestoredTableHasItsOwn) {
  world.put(item(1, 100));
  world.put(item(2, 200));
  const auto details = world.ask("CreateBackup", R"({"TableName":"Tab","BackupName":"daily"})");
  world.settle();
  world.put(item(3, 50));
  const std::string arn = details.find("BackupDetails")->find("BackupArn")->string();
  world.run("RestoreTableFromBackup", R"({"BackupArn":")" + arn + R"(","TargetTableName":"Restored"})");
  world.settle();
  EXPECT_GT(dynamodb::added_up(world, "Restored", Value::string("p")), 600);
  EXPECT_EQ(dynamodb::counted(world, "Restored", Value::string("p")),
            dynamodb::added_up(world, "Restored", Value::string("p")));
  EXPECT_LT(dynamodb::counted(world, "Restored", Value::string("p")), counted());
}

TEST_F(ItemCollections, ATableFromBeforeThereWereCountersIsCountedWithTheNextWrite) {
  world.put(item(1, 100));
  world.put(R"({"k":{"S":"q"},"s":{"N":"1"},"l":{"S":"l"}})");
  // As a binary left it that knew nothing of them.
  Table table = table_named(world, "Tab");
  table.collection_counts = Table::CollectionCounts::none;
  world.await([](World& world, const Table& table) -> Task<bool> {
    co_await world.store->transact([&](store::Transaction& txn) -> Task<void> {
      const std::string counters = moved_to_index(segment_range(table.id, 0, 1).begin, kCollectionIndex);
      txn.erase_range(store::Range::prefix(counters));
      save_table(txn, table);
      co_return;
    });
    co_return true;
  }(world, table));
  ASSERT_THAT(table_named(world, "Tab").stored.value(), HasSubstr(R"("version":2)"));
  EXPECT_EQ(counted(), added_up()) << "counted when asked for";

  EXPECT_EQ(world.put(item(2, 390)), kTooLarge);
  EXPECT_EQ(world.put(item(2, 100)), "{}");
  EXPECT_EQ(counted(), added_up());
  EXPECT_THAT(table_named(world, "Tab").stored.value(), HasSubstr(R"("version":3)")) << "older binaries must not write here";
  EXPECT_EQ(world.put(R"({"k":{"S":"q"},"s":{"N":"2"},"l":{"S":"l"}})"), "{}");
  for (const char* key : {"p", "q"}) {
    EXPECT_EQ(dynamodb::counted(world, "Tab", Value::string(key)), dynamodb::added_up(world, "Tab", Value::string(key)));
  }
}

// Random writes of every kind, items that expire, conflicts, slow commits and crashes.
class CollectionSimulation {
 public:
  explicit CollectionSimulation(uint64_t seed)
      : world_(seed, store::SimFaults(), {.collection_bytes_max = 1500}), random_(seed) {
    create_table_with_local_indexes(world_);
    world_.run("UpdateTimeToLive",
               R"({"TableName":"Tab","TimeToLiveSpecification":{"AttributeName":"t","Enabled":true}})");
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      write();
      for (int i = pick(20); i > 0; --i) world_.executor.run_one();
      if (pick(25) == 0) world_.crash();
      if (pick(25) == 0) world_.advance(std::chrono::seconds(1));
    }
    world_.settle();
  }

  void check() {
    int64_t all = 0;
    for (int key = 0; key < kKeys; ++key) {
      const Value partition = Value::string(std::to_string(key));
      EXPECT_EQ(counted(world_, "Tab", partition), added_up(world_, "Tab", partition)) << "collection " << key;
      all += counted(world_, "Tab", partition);
    }
    EXPECT_GT(all, 0);
  }

 private:
  static constexpr int kKeys = 3;

  int pick(int below) { return static_cast<int>(random_() % static_cast<uint64_t>(below)); }

  std::string key() {
    return R"({"k":{"S":")" + std::to_string(pick(kKeys)) + R"("},"s":{"N":")" + std::to_string(pick(6)) + R"("}})";
  }
  std::string item() {
    std::string item = key();
    item.pop_back();
    if (pick(2)) item += R"(,"l":{"S":")" + std::string(static_cast<size_t>(1 + pick(20)), 'l') + "\"}";
    if (pick(2)) item += R"(,"m":{"N":")" + std::to_string(pick(100'000)) + "\"}";
    if (pick(2)) item += R"(,"f":{"S":")" + std::string(static_cast<size_t>(pick(200)), 'f') + "\"}";
    if (pick(3) == 0) {
      const auto now = std::chrono::floor<std::chrono::seconds>(world_.clock.now()).time_since_epoch().count();
      item += R"(,"t":{"N":")" + std::to_string(now + 1 + pick(4)) + "\"}";
    }
    return item + "}";
  }
  void write() {
    switch (pick(6)) {
      case 0: world_.start("PutItem", R"({"TableName":"Tab","Item":)" + item() + "}"); break;
      case 1: world_.start("DeleteItem", R"({"TableName":"Tab","Key":)" + key() + "}"); break;
      case 2:
        world_.start("UpdateItem", R"({"TableName":"Tab","Key":)" + key() +
                                       R"(,"UpdateExpression":"SET l = :l REMOVE m","ExpressionAttributeValues":{":l":{"S":")" +
                                       std::string(static_cast<size_t>(1 + pick(30)), 'u') + R"("}}})");
        break;
      case 3:
        world_.start("BatchWriteItem", R"({"RequestItems":{"Tab":[{"PutRequest":{"Item":)" + item() +
                                           R"(}},{"DeleteRequest":{"Key":)" + key() + "}}]}}");
        break;
      case 4:
        world_.start("TransactWriteItems", R"({"TransactItems":[{"Put":{"TableName":"Tab","Item":)" + item() +
                                               R"(}},{"Put":{"TableName":"Tab","Item":)" + item() +
                                               R"(}},{"Delete":{"TableName":"Tab","Key":)" + key() + "}}]}");
        break;
      default:
        world_.start("ExecuteStatement", R"({"Statement":"DELETE FROM Tab WHERE k=')" + std::to_string(pick(kKeys)) +
                                             "' AND s=" + std::to_string(pick(6)) + "\"}");
    }
  }

  World world_;
  std::mt19937_64 random_;
};

TEST(ItemCollectionSimulation, CountersAreRightThroughCrashesAndConflicts) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CollectionSimulation simulation(seed);
    simulation.run(200);
    simulation.check();
  }
}

}  // namespace
}  // namespace tidemill::dynamodb
