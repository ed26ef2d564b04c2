// Seeds drive random writes in all regions through conflicts, slow commits and crashes, while replicas come and go.
// Whatever happens: all that are ACTIVE hold the same items, entries and counters, and each stream tells the truth.
#include <cstdlib>
#include <map>
#include <random>

#include "services/dynamodb/global_tables_testing.h"

namespace tidemill::dynamodb {
namespace {

using testing::kHere;
using testing::kThere;
using testing::Regions;

constexpr uint64_t kSeedsByDefault = 15;  // TIDEMILL_SIM_SEEDS=N runs more

class GlobalSimulation {
 public:
  explicit GlobalSimulation(uint64_t seed) : world_(seed, store::SimFaults{}), random_(seed) {
    for (int i = 0; i < 300; ++i) world_.put_at(kHere, key(i), R"(,"g":{"S":"old"},"l":{"S":"old"})");
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      write();
      if (random_() % 40 == 0) change_group();
      for (int i = static_cast<int>(random_() % 20); i > 0; --i) world_.executor.run_one();
      if (random_() % 30 != 0) continue;
      world_.crash();
      check();
    }
    world_.settle();
    check();
    world_.add(kThere);
    world_.settle();
    check();
    EXPECT_EQ(world_.status(kThere), "ACTIVE us-east-1=ACTIVE");
  }

  // How often two replicas were compared.
  [[nodiscard]] int checks() const { return checks_; }

 private:
  static std::string key(uint64_t number) { return std::string(1, "abcd"[number % 4]) + std::to_string(number); }
  std::string any_key() { return key(random_() % 2 ? random_() % 8 : random_() % 300); }
  const char* any_region() { return random_() % 2 ? kHere : kThere; }

  void write() {
    const std::string item = Regions::key_of(any_key());
    const std::string group = R"(,"g":{"S":")" + std::to_string(random_() % 3) + R"("},"l":{"S":"l)" +
                              std::string(random_() % 60, 'x') + R"("})";
    switch (random_() % 5) {
      case 0:
        world_.start_at(any_region(), "DeleteItem", R"({"TableName":"Tab","Key":{)" + item + "}}");
        break;
      case 1:
        world_.start_at(any_region(), "UpdateItem", R"({"TableName":"Tab","Key":{)" + item +
                                                        R"(},"UpdateExpression":"ADD n :one REMOVE g",)"
                                                        R"("ExpressionAttributeValues":{":one":{"N":"1"}}})");
        break;
      case 2: {
        const std::string other = Regions::key_of(key(300 + random_() % 50));
        world_.start_at(any_region(), "TransactWriteItems",
                        R"({"TransactItems":[{"Put":{"TableName":"Tab","Item":{)" + item + group +
                            R"(}}},{"Delete":{"TableName":"Tab","Key":{)" + other + "}}}]}");
        break;
      }
      case 3:
        world_.start_at(any_region(), "BatchWriteItem",
                        R"({"RequestItems":{"Tab":[{"PutRequest":{"Item":{)" + Regions::key_of(key(300 + random_() % 50)) +
                            group + R"(}}},{"DeleteRequest":{"Key":{)" + item + "}}}]}}");
        break;
      default:
        world_.start_at(any_region(), "PutItem", R"({"TableName":"Tab","Item":{)" + item + group + "}}");
    }
  }

  void change_group() {
    const std::string action = random_() % 3 ? "Create" : "Delete";
    world_.start_at(kHere, "UpdateTable",
                    R"({"TableName":"Tab","ReplicaUpdates":[{")" + action + R"(":{"RegionName":"eu-west-1"}}]})");
  }

  void check() {
    if (!world_.status(kThere).starts_with("ACTIVE")) return;
    world_.expect_same(kHere, kThere);
    check_stream(kHere);
    check_stream(kThere);
    ++checks_;
  }

  // The records of an item follow one another, and the last of them tells what it is.
  void check_stream(const char* region) {
    std::map<std::string, std::string> told;
    for (const auto& record : world_.records(region)) {
      const auto before = told.find(record.key);
      if (before != told.end()) EXPECT_EQ(before->second, record.before) << region;
      told[record.key] = record.after;
    }
    std::map<std::string, std::string> there;
    for (const std::string& item : world_.items(region)) {
      there[std::string(key_of(ItemView(item), "k", "s").encoded())] = item;
    }
    for (const auto& [key, item] : told) EXPECT_EQ(there[key], item) << region;
  }

  Regions world_;
  std::mt19937_64 random_;
  int checks_ = 0;
};

TEST(GlobalSimulation, ReplicasNeverDisagree) {
  const char* asked = std::getenv("TIDEMILL_SIM_SEEDS");
  const uint64_t seeds = asked ? std::strtoull(asked, nullptr, 10) : kSeedsByDefault;
  int checks = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GlobalSimulation simulation(seed);
    simulation.run(150);
    checks += simulation.checks();
  }
  EXPECT_GT(checks, static_cast<int>(2 * seeds)) << "there was hardly ever a replica";
}

}  // namespace
}  // namespace tidemill::dynamodb
