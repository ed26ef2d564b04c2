// Simulation: what a backup and a restored table hold is one moment of the table, whatever happens meanwhile.
#include <array>
#include <memory>
#include <random>
#include <vector>

#include "services/dynamodb/backup_testing.h"

namespace tidemill::dynamodb {
namespace {

using testing::Backups;
using testing::text;
using testing::World;

constexpr int kPairs = 10;

// Writers count pairs of items up, both of a pair in one transaction; backups and restores are made meanwhile, and the
// process dies now and then. In a copy both items of every pair are equal, no pair is behind what had been acknowledged
// before the copy was asked for, and none ahead of what had been asked for when it was granted. Items are so large that
// a copy takes many steps.
class CopySimulation {
 public:
  explicit CopySimulation(uint64_t seed) : world_(seed, store::SimFaults{}), random_(seed) {
    if (seed % 2 == 0) world_.enable_recovery();
    for (int pair = 0; pair < kPairs; ++pair) write(pair);
    world_.settle();
    collect();
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      collect();
      write(static_cast<int>(random_() % kPairs));
      if (step % 25 == 10) begin_copy(step);
      for (int i = static_cast<int>(random_() % 60); i > 0; --i) world_.executor.run_one();
      note_granted();
      if (random_() % 30 == 0) crash();
    }
    world_.settle();
    note_granted();
    collect();
  }

  void check() {
    int checked = 0;
    for (const Copy& copy : copies_) {
      if (!copy.granted) continue;
      ++checked;
      std::string table = copy.name;
      if (!copy.backup_arn.empty()) {
        world_.restore(copy.backup_arn, table);
        world_.settle();
      }
      const auto found = world_.numbers(table);
      for (int pair = 0; pair < kPairs; ++pair) {
        const auto number = [&](const char* half) {
          const auto item = found.find(half + std::to_string(pair));
          return item == found.end() ? 0 : item->second;
        };
        EXPECT_EQ(number("a"), number("b")) << table << " is torn at pair " << pair;
        EXPECT_GE(number("a"), copy.least[pair]) << table << " misses what had been acknowledged";
        EXPECT_LE(number("a"), copy.most[pair]) << table << " has what came later";
      }
    }
    EXPECT_GT(checked, 0);
  }

 private:
  using Numbers = std::array<int64_t, kPairs>;
  struct Copy {
    std::string name;
    std::shared_ptr<World::Request> request;
    Numbers least;  // acknowledged when it was asked for
    Numbers most;   // asked for when it was granted
    bool granted = false;
    std::string backup_arn;  // empty: a restored table
  };

  // One write of a pair at a time, so that its numbers only rise.
  void write(int pair) {
    if (writes_[pair] && !writes_[pair]->done) return;
    static const std::string filler(150'000, 'x');
    const std::string number = std::to_string(++sent_[pair]);
    const auto item = [&](const char* half) {
      return R"({"PutRequest":{"Item":{"k":{"S":")" + (half + std::to_string(pair)) + R"("},"n":{"N":")" + number +
             R"("},"f":{"S":")" + filler + R"("}}}})";
    };
    writes_[pair] = world_.start("BatchWriteItem", R"({"RequestItems":{"Tab":[)" + item("a") + "," + item("b") + "]}}");
  }

  void begin_copy(int step) {
    Copy copy{.name = "Copy" + std::to_string(step), .least = acknowledged_};
    const bool recovers =
        world_.run("DescribeContinuousBackups", R"({"TableName":"Tab"})").find("Earliest") != std::string::npos;
    copy.request =
        recovers && random_() % 2 == 0
            ? world_.start("RestoreTableToPointInTime", R"({"SourceTableName":"Tab","TargetTableName":")" + copy.name +
                                                            R"(","UseLatestRestorableTime":true})")
            : world_.start("CreateBackup", R"({"TableName":"Tab","BackupName":")" + copy.name + R"("})");
    copies_.push_back(std::move(copy));
  }

  void note_granted() {
    for (Copy& copy : copies_) {
      if (copy.granted || !copy.request || !copy.request->done) continue;
      copy.granted = copy.request->answer.find("CREATING") != std::string::npos;
      copy.most = sent_;
      if (copy.granted && copy.request->operation == "CreateBackup") {
        const auto answer = json::parse(copy.request->answer);
        copy.backup_arn = text(*answer, {"BackupDetails", "BackupArn"});
      }
      copy.request.reset();
    }
  }

  void collect() {
    for (int pair = 0; pair < kPairs; ++pair) {
      const auto& write = writes_[pair];
      if (write && write->done && write->answer == R"({"UnprocessedItems":{}})") acknowledged_[pair] = sent_[pair];
    }
  }

  void crash() {
    note_granted();
    collect();
    world_.crash();
    writes_ = {};
    for (Copy& copy : copies_) {
      if (copy.request && !copy.request->done) copy.request.reset();  // nobody knows whether it was granted
    }
  }

  Backups world_;
  std::mt19937_64 random_;
  Numbers sent_{};
  Numbers acknowledged_{};
  std::array<std::shared_ptr<World::Request>, kPairs> writes_;
  std::vector<Copy> copies_;
};

TEST(BackupSimulation, ACopyIsOneMomentOfTheTableThroughCrashesAndConflicts) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CopySimulation simulation(seed);
    simulation.run(100);
    simulation.check();
  }
}

}  // namespace
}  // namespace tidemill::dynamodb
