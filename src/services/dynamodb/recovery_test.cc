// Point-in-time recovery, asked for as clients ask.
#include <algorithm>
#include <random>

#include "services/dynamodb/backup_testing.h"

namespace tidemill::dynamodb {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using testing::Backups;

TEST(Recovery, IsSwitchedOnAndOff) {
  Backups world;
  EXPECT_EQ(world.run("DescribeContinuousBackups", R"({"TableName":"Tab"})"),
            R"({"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED",)"
            R"("PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":"DISABLED"}}})");
  EXPECT_THAT(world.enable_recovery(), HasSubstr(R"("RecoveryPeriodInDays":35,"EarliestRestorableDateTime":1773446400,)"
                                                 R"("LatestRestorableDateTime":1773446400)"));
  world.advance(std::chrono::days(2));
  EXPECT_THAT(world.enable_recovery(R"(,"RecoveryPeriodInDays":1)"),
              HasSubstr(R"("RecoveryPeriodInDays":1,"EarliestRestorableDateTime":1773532800)"));
  EXPECT_EQ(
      world.run(
          "UpdateContinuousBackups",
          R"({"TableName":"Tab","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":false,"RecoveryPeriodInDays":3}})"),
      "ValidationException: Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time "
      "recovery.");
  world.run("UpdateContinuousBackups",
            R"({"TableName":"Tab","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":false}})");
  EXPECT_EQ(world.run("RestoreTableToPointInTime",
                      R"({"SourceTableName":"Tab","TargetTableName":"Again","UseLatestRestorableTime":true})"),
            "PointInTimeRecoveryUnavailableException: Point in time recovery is not enabled for table 'Tab'");
  EXPECT_EQ(world.run("DescribeContinuousBackups", R"({"TableName":"None"})"),
            "TableNotFoundException: Table not found: None");
}

TEST(Recovery, EveryMomentOfTheWindowCanBeRestored) {
  Backups world;
  world.put_number("old", 1);
  world.enable_recovery();
  std::mt19937_64 random(7);
  std::map<std::string, int64_t> model{{"old", 1}};
  std::vector<std::pair<base::Time, std::map<std::string, int64_t>>> moments;
  for (int second = 0; second < 12; ++second) {
    for (int change = 0; change < 4; ++change) {
      const std::string key = std::to_string(random() % 6);
      if (random() % 3 == 0) {
        model.erase(key);
        world.run("DeleteItem", R"({"TableName":"Tab","Key":{"k":{"S":")" + key + R"("}}})");
      } else {
        model[key] = static_cast<int64_t>(random() % 1000);
        world.put_number(key, model[key]);
      }
    }
    moments.emplace_back(world.clock.now(), model);
    world.advance(seconds(1));
  }
  for (size_t i = 0; i < moments.size(); ++i) {
    const std::string name = "At" + std::to_string(i) + "x";
    EXPECT_THAT(world.recover(name, moments[i].first), HasSubstr("CREATING"));
    world.settle();
    EXPECT_EQ(world.numbers(name), moments[i].second) << i;
  }
  EXPECT_THAT(world.run("RestoreTableToPointInTime",
                        R"({"SourceTableName":"Tab","TargetTableName":"Latest","UseLatestRestorableTime":true})"),
              HasSubstr("CREATING"));
  world.put_number("after", 1);
  world.settle();
  EXPECT_EQ(world.numbers("Latest"), model);
}

TEST(Recovery, ATimeOutsideTheWindowIsRefused) {
  Backups world;
  world.enable_recovery(R"(,"RecoveryPeriodInDays":2)");
  const base::Time began = world.clock.now();
  world.advance(std::chrono::days(3));
  const auto refusal = [&](base::Time moment) { return world.recover("Again", moment); };
  EXPECT_EQ(refusal(began),
            "InvalidRestoreTimeException: RestoreDateTime '2026-03-14T00:00:00Z' must be within "
            "EarliestRestorableDateTime '2026-03-15T00:00:00Z' and LatestRestorableDateTime '2026-03-17T00:00:00Z'");
  EXPECT_THAT(refusal(world.clock.now() + seconds(1)), HasSubstr("InvalidRestoreTimeException"));
  EXPECT_THAT(world.run("RestoreTableToPointInTime", R"({"SourceTableName":"Tab","TargetTableName":"Again"})"),
              HasSubstr("Either one of RestoreDateTime or UseLatestRestorableTime must be specified"));
  EXPECT_THAT(world.run("RestoreTableToPointInTime", R"({"TargetTableName":"Again","UseLatestRestorableTime":true})"),
              HasSubstr("The parameter 'TableName' is required"));
  EXPECT_THAT(refusal(world.clock.now()), HasSubstr("CREATING"));
}

TEST(Recovery, HistoryIsForgottenAfterItsTime) {
  Backups world;
  const auto records = [&] {
    return std::ranges::count_if(world.disk.data, [](const auto& entry) { return entry.first.starts_with('L'); });
  };
  world.enable_recovery(R"(,"RecoveryPeriodInDays":1)");
  for (int i = 0; i < 10; ++i) world.put_number("a", i);
  EXPECT_EQ(records(), 10);
  world.advance(std::chrono::days(3));
  EXPECT_EQ(records(), 0);
  world.put_number("a", 99);
  EXPECT_EQ(records(), 1);
  world.run("UpdateContinuousBackups",
            R"({"TableName":"Tab","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":false}})");
  EXPECT_EQ(records(), 0);
  world.put_number("a", 100);
  EXPECT_EQ(records(), 0);
}

TEST(Recovery, ADeletedTableLeavesASystemBackupForAMonth) {
  Backups world;
  world.enable_recovery();
  world.put_number("a", 1);
  world.run("DeleteTable", R"({"TableName":"Tab"})");
  const auto listed = world.ask("ListBackups", R"({"BackupType":"SYSTEM"})");
  ASSERT_EQ(listed.find("BackupSummaries")->array().size(), 1u);
  const json::Value& summary = listed.find("BackupSummaries")->array().front();
  EXPECT_EQ(summary.find("BackupName")->string(), "Tab$DeletedTableBackup");
  const std::string arn = summary.find("BackupArn")->string();
  EXPECT_EQ(world.of_backup("DeleteBackup", arn),
            "ValidationException: Invalid Request: User is not allowed to delete the system backup with arn " + arn +
                ". It will automatically expire on 2026-04-18T00:00:00Z");
  world.crash();
  world.create_table("Tab");
  world.restore(arn, "Again");
  world.settle();
  EXPECT_EQ(world.numbers("Again"), (std::map<std::string, int64_t>{{"a", 1}}));
  world.advance(std::chrono::days(36));
  EXPECT_THAT(world.of_backup("DescribeBackup", arn), HasSubstr("BackupNotFoundException"));
  EXPECT_EQ(world.numbers("Again").size(), 1u);
}

}  // namespace
}  // namespace tidemill::dynamodb
