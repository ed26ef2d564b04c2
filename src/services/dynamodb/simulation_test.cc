// Seeds drive random writes through conflicts, slow commits and crashes. Whatever happens: the records of the stream,
// replayed, give the table as it is, each record begins where the one before it ended, and nothing acknowledged is lost.
#include <random>

#include "lang/dynamodb/json_codec.h"
#include "services/dynamodb/stream_record.h"
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using testing::World;

constexpr const char* kArn = "arn:aws:dynamodb:us-east-1:000000000000:table/Tab/stream/2026-03-14T00:00:00.000";
constexpr int kKeys = 4;

std::string key_json(int key) { return R"({"k":{"S":")" + std::to_string(key) + R"("}})"; }

class Simulation {
 public:
  explicit Simulation(uint64_t seed) : world_(seed, store::SimFaults{}), random_(seed) {
    world_.create_table("Tab", "", "NEW_AND_OLD_IMAGES");
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      write();
      for (int i = static_cast<int>(random_() % 20); i > 0; --i) world_.executor.run_one();
      if (random_() % 25 == 0) crash();
    }
    world_.settle();
    collect();
  }

  void check() {
    std::map<std::string, Item> replayed;
    world_.await(replay(replayed));
    std::map<std::string, Item> stored;
    const auto answer = world_.ask("Scan", R"({"TableName":"Tab","ConsistentRead":true})");
    for (const json::Value& item : answer.find("Items")->array()) {
      const Item found = lang::dynamodb::item_from_json(json::write(item));
      stored.emplace(std::string(found.find("k")->string()), found);
    }
    EXPECT_GT(records_, 50) << "the simulation does next to nothing";
    EXPECT_FALSE(counted_.empty());
    EXPECT_EQ(stored == replayed, true) << "the stream tells another story than the table";
    for (const auto& [key, least] : counted_) {
      const auto found = stored.find(key);
      ASSERT_NE(found, stored.end());
      EXPECT_GE(*found->second.find("n")->number().to_int64(), least) << "an acknowledged update is lost";
    }
  }

 private:
  void write() {
    const int key = static_cast<int>(random_() % kKeys);
    switch (random_() % 4) {
      case 0: {
        // Counters have keys of their own, which nobody deletes.
        const std::string counter = "c" + std::to_string(key);
        requests_.push_back({counter, world_.start("UpdateItem", R"({"TableName":"Tab","Key":{"k":{"S":")" + counter +
                                                                     R"("}},"UpdateExpression":"ADD n :one",
            "ExpressionAttributeValues":{":one":{"N":"1"}}})")});
        break;
      }
      case 1:
        world_.start("PutItem", R"({"TableName":"Tab","Item":{"k":{"S":")" + std::to_string(key) + R"("},"x":{"N":")" +
                                    std::to_string(random_() % 3) + R"("}}})");
        break;
      case 2:
        world_.start("DeleteItem", R"({"TableName":"Tab","Key":)" + key_json(key) + "}");
        break;
      default:
        world_.start("BatchWriteItem", R"({"RequestItems":{"Tab":[{"PutRequest":{"Item":)" + key_json(key) +
                                           R"(}},{"DeleteRequest":{"Key":)" + key_json((key + 1) % kKeys) + "}}]}}");
    }
  }

  // Counts the updates that were acknowledged.
  void collect() {
    for (const auto& [key, request] : requests_) counted_[key] += request->done && request->answer == "{}";
    std::erase_if(counted_, [](const auto& entry) { return entry.second == 0; });
    requests_.clear();
  }

  void crash() {
    collect();
    world_.crash();
  }

  Task<bool> replay(std::map<std::string, Item>& items) {
    const auto snapshot = world_.store->snapshot();
    const auto stream = co_await load_stream(*snapshot, *parse_stream_arn(kArn));
    for (const Shard& shard : stream->shards) {
      const store::LogId log = shard_log(kArn, shard.id);
      const store::RecordVisitor visit = [&](store::Position, std::string_view bytes) {
        const auto change = decode_change(bytes, "k", "");
        ++records_;
        const std::string key(change->keys.find("k")->string());
        const auto before = items.find(key);
        EXPECT_EQ(change->old_image.has_value(), before != items.end());
        if (change->old_image && before != items.end()) EXPECT_EQ(*change->old_image, before->second.view());
        items.erase(key);
        if (change->new_image) items.emplace(key, Item(*change->new_image));
        return true;
      };
      co_await snapshot->read_log(log, store::Position::before_all(), visit);
    }
    co_return true;
  }

  World world_;
  std::mt19937_64 random_;
  std::vector<std::pair<std::string, std::shared_ptr<World::Request>>> requests_;
  std::map<std::string, int64_t> counted_;  // acknowledged updates by key
  int records_ = 0;
};

TEST(DynamodbSimulation, TheStreamAndTheTableAgreeThroughCrashesAndConflicts) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation simulation(seed);
    simulation.run(200);
    simulation.check();
  }
}

}  // namespace
}  // namespace tidemill::dynamodb
