// Exports and imports through crashes.
#include <random>

#include "services/dynamodb/transfer_testing.h"

namespace tidemill::dynamodb {
namespace {

// Many items, and crashes and conflicts meanwhile: what was exported comes back, each item once, and what changed is
// told once, whatever happens.
class TransferSimulation {
 public:
  explicit TransferSimulation(uint64_t seed) : world_(seed, store::SimFaults()), random_(seed) {
    world_.create_table("From");
    world_.create_bucket("bucket");
  }

  // A full export, and its import.
  void run() {
    put_all(1);
    const auto items = world_.items("From");
    const int64_t moment = second();
    world_.advance(std::chrono::seconds(1));  // writes of the same moment would be in the export
    const std::string exported = world_.begin_export("From", "bucket", base::cat(R"("ExportTime":)", moment));
    for (int round = 0; round < 12; ++round) {
      put(static_cast<int>(random_() % (2 * kItems)));  // is not in the export
      disturb();
    }
    world_.settle();
    world_.advance(std::chrono::minutes(5));  // what failed is tried again
    EXPECT_EQ(world_.described_export(exported).find("ExportStatus")->string(), "COMPLETED");
    EXPECT_EQ(world_.exported_lines("bucket").size(), items.size());

    const std::string prefix = "AWSDynamoDB/" + exported.substr(exported.rfind('/') + 1) + "/data/";
    const std::string arn =
        world_.begin_import("Copy", "bucket", prefix, R"("InputFormat":"DYNAMODB_JSON","InputCompressionType":"GZIP")");
    for (int round = 0; round < 12; ++round) disturb();
    world_.settle();
    world_.advance(std::chrono::minutes(5));
    EXPECT_EQ(world_.outcome(arn), base::cat("COMPLETED ", items.size(), "/", items.size(), " 0"));
    EXPECT_EQ(world_.items("Copy"), items);
  }

  void run_incremental() {
    put_all(1);
    world_.advance(std::chrono::hours(1));
    const int64_t from = second() + 1;
    world_.advance(std::chrono::seconds(2));
    put_all(2);
    for (int i = 0; i < kRemoved; ++i) world_.remove("From", key(i), i);
    for (int i = kItems; i < kItems + kAdded; ++i) world_.put("From", item(i, 2));
    world_.advance(std::chrono::minutes(20));
    const int64_t to = second();
    world_.advance(std::chrono::seconds(2));
    const std::string exported = world_.begin_export(
        "From", "bucket",
        base::cat(R"("ExportType":"INCREMENTAL_EXPORT","IncrementalExportSpecification":{"ExportFromTime":)", from,
                  R"(,"ExportToTime":)", to, "}"));
    for (int round = 0; round < 12; ++round) {
      put(static_cast<int>(random_() % (2 * kItems)));  // comes after the period
      disturb();
    }
    world_.settle();
    world_.advance(std::chrono::minutes(5));
    EXPECT_EQ(world_.described_export(exported).find("ExportStatus")->string(), "COMPLETED");
    std::vector<std::string> changes;
    for (const std::string& line : world_.exported_lines("bucket")) {
      changes.push_back(line.substr(line.find("\"Keys\"")));
    }
    std::ranges::sort(changes);
    EXPECT_EQ(changes, expected_changes());
  }

 private:
  static constexpr int kItems = 1500;  // three batches of an import
  static constexpr int kItemsOfABatch = 25;
  static constexpr int kRemoved = 20;
  static constexpr int kAdded = 30;

  static std::string key(int i) { return base::cat("k", i % 7); }
  static std::string item(int i, uint64_t value) {
    return testing::TransferWorld::item(key(i), i, base::cat(R"("v":{"N":")", value, "\"}"));
  }
  int64_t second() {
    return std::chrono::floor<std::chrono::seconds>(world_.clock.now().time_since_epoch()).count();
  }

  void put_all(uint64_t value) {
    for (int i = 0; i < kItems; i += kItemsOfABatch) put_batch(i, value);
    world_.settle();
  }
  void put_batch(int first, uint64_t value) {
    std::string puts;
    for (int i = first; i < first + kItemsOfABatch; ++i) {
      puts += base::cat(puts.empty() ? "" : ",", R"({"PutRequest":{"Item":)", item(i, value), "}}");
    }
    EXPECT_EQ(world_.run("BatchWriteItem", base::cat(R"({"RequestItems":{"From":[)", puts, "]}}")),
              R"({"UnprocessedItems":{}})");
  }
  // Begins it: it commits while the transfer goes on, or never.
  void put(int i) {
    world_.start("PutItem", base::cat(R"({"TableName":"From","Item":)", item(i, random_() % 1000), "}"));
  }
  // The lines of an incremental export without their times, in order.
  static std::vector<std::string> expected_changes() {
    std::vector<std::string> lines;
    for (int i = 0; i < kItems + kAdded; ++i) {
      lines.push_back(base::cat(R"("Keys":)", testing::TransferWorld::item(key(i), i),
                                i < kItems ? base::cat(R"(,"OldImage":)", item(i, 1)) : "",
                                i >= kRemoved ? base::cat(R"(,"NewImage":)", item(i, 2)) : "", "}"));
    }
    std::ranges::sort(lines);
    return lines;
  }
  // Some steps, and then perhaps a crash.
  void disturb() {
    for (uint64_t steps = random_() % 200; steps > 0 && world_.executor.run_one(); --steps) {
    }
    if (random_() % 2 == 0) world_.crash();
  }

  testing::TransferWorld world_;
  std::mt19937_64 random_;
};

TEST(TransferSimulations, WhatIsExportedIsImportedThroughCrashesAndConflicts) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TransferSimulation(seed).run();
  }
}

TEST(TransferSimulations, WhatChangedIsExportedOnceThroughCrashesAndConflicts) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TransferSimulation(seed).run_incremental();
  }
}

}  // namespace
}  // namespace tidemill::dynamodb
