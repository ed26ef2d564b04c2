// Backups and restored tables, asked for as clients ask.
#include <algorithm>
#include <array>
#include <random>

#include "services/dynamodb/backup_timers.h"
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::World;

std::string text(const json::Value& document, std::initializer_list<std::string_view> path) {
  const json::Value* value = &document;
  for (const auto name : path) {
    value = value->find(name);
    if (!value) return "(missing)";
  }
  return value->is_string() ? value->string() : json::write(*value);
}

struct Backups : World {
  explicit Backups(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none()) : World(seed, faults) {
    create_table("Tab");
  }

  std::string put_number(std::string_view key, int64_t number) {
    return put(R"({"k":{"S":")" + std::string(key) + R"("},"n":{"N":")" + std::to_string(number) + R"("}})");
  }
  std::string backup(std::string_view name = "daily") {
    return text(ask("CreateBackup", R"({"TableName":"Tab","BackupName":")" + std::string(name) + R"("})"),
                {"BackupDetails", "BackupArn"});
  }
  std::string of_backup(std::string_view operation, const std::string& arn) {
    return run(operation, R"({"BackupArn":")" + arn + R"("})");
  }
  std::string restore(const std::string& arn, std::string_view to, std::string_view more = "") {
    return run("RestoreTableFromBackup", R"({"BackupArn":")" + arn + R"(","TargetTableName":")" + std::string(to) +
                                             "\"" + std::string(more) + "}");
  }
  std::string enable_recovery(std::string_view more = "") {
    return run("UpdateContinuousBackups",
               R"({"TableName":"Tab","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true)" +
                   std::string(more) + "}}");
  }
  std::string recover(std::string_view to, base::Time moment) {
    const double time = std::chrono::duration<double>(moment.time_since_epoch()).count();
    return run("RestoreTableToPointInTime", R"({"SourceTableName":"Tab","TargetTableName":")" + std::string(to) +
                                                R"(","RestoreDateTime":)" + json::write(json::Value(time)) + "}");
  }
  // The numbers of a table's items by key.
  std::map<std::string, int64_t> numbers(std::string_view table) {
    std::map<std::string, int64_t> found;
    std::string start;
    for (;;) {
      const auto page = ask("Scan", R"({"TableName":")" + std::string(table) + "\"" + start + "}");
      for (const auto& item : page.find("Items")->array()) {
        found[item.find("k")->find("S")->string()] = std::stoll(item.find("n")->find("N")->string());
      }
      const json::Value* last = page.find("LastEvaluatedKey");
      if (!last) return found;
      start = R"(,"ExclusiveStartKey":)" + json::write(*last);
    }
  }
};

TEST(Backups, ABackupIsMadeAndDescribed) {
  Backups world;
  world.put_number("a", 1);
  const auto created = world.ask("CreateBackup", R"({"TableName":"Tab","BackupName":"daily"})");
  EXPECT_EQ(text(created, {"BackupDetails", "BackupStatus"}), "CREATING");
  const std::string arn = text(created, {"BackupDetails", "BackupArn"});
  EXPECT_THAT(arn, MatchesRegex("arn:aws:dynamodb:us-east-1:000000000000:table/Tab/backup/01773446400000-[0-9a-f]+"));
  world.settle();
  const auto described = world.ask("DescribeBackup", R"({"BackupArn":")" + arn + R"("})");
  const json::Value& description = *described.find("BackupDescription");
  EXPECT_EQ(text(description, {"BackupDetails", "BackupStatus"}), "AVAILABLE");
  EXPECT_EQ(text(description, {"BackupDetails", "BackupType"}), "USER");
  EXPECT_EQ(text(description, {"BackupDetails", "BackupName"}), "daily");
  EXPECT_EQ(text(description, {"BackupDetails", "BackupSizeBytes"}), "105");
  EXPECT_EQ(text(description, {"SourceTableDetails", "TableName"}), "Tab");
  EXPECT_EQ(text(description, {"SourceTableDetails", "ItemCount"}), "1");
  EXPECT_EQ(text(description, {"SourceTableDetails", "KeySchema"}), R"([{"AttributeName":"k","KeyType":"HASH"}])");
  EXPECT_EQ(text(description, {"SourceTableDetails", "BillingMode"}), "PAY_PER_REQUEST");
  EXPECT_EQ(text(description, {"SourceTableFeatureDetails"}), "{}");
}

TEST(Backups, ARestoredTableHoldsWhatWasThere) {
  Backups world;
  for (int i = 0; i < 2500; ++i) world.put_number(std::to_string(i), i);
  const std::string arn = world.backup();
  world.put_number("5", -5);
  world.put_number("new", 1);
  world.run("DeleteItem", R"({"TableName":"Tab","Key":{"k":{"S":"6"}}})");
  world.settle();
  EXPECT_EQ(text(world.ask("DescribeBackup", R"({"BackupArn":")" + arn + R"("})"),
                 {"BackupDescription", "SourceTableDetails", "ItemCount"}),
            "2500");
  EXPECT_THAT(world.restore(arn, "Again"), HasSubstr(R"("TableStatus":"CREATING")"));
  EXPECT_THAT(world.run("DescribeTable", R"({"TableName":"Again"})"), HasSubstr(R"("RestoreInProgress":true)"));
  world.settle();
  EXPECT_THAT(world.run("DescribeTable", R"({"TableName":"Again"})"), HasSubstr(R"("TableStatus":"ACTIVE")"));
  EXPECT_THAT(world.run("DescribeTable", R"({"TableName":"Again"})"), Not(HasSubstr("RestoreSummary")));
  const auto found = world.numbers("Again");
  EXPECT_EQ(found.size(), 2500u);
  for (const auto& [key, number] : found) EXPECT_EQ(key, std::to_string(number));
}

TEST(Backups, ABackupOutlivesItsTable) {
  Backups world;
  world.put_number("a", 1);
  const std::string arn = world.backup();
  EXPECT_THAT(world.run("DeleteTable", R"({"TableName":"Tab"})"), HasSubstr("DELETING"))
      << "also while it is being copied";
  world.create_table("Tab");
  world.put_number("b", 2);
  world.settle();
  EXPECT_THAT(world.of_backup("DescribeBackup", arn), HasSubstr("AVAILABLE"));
  world.crash();
  world.restore(arn, "Again");
  world.settle();
  EXPECT_EQ(world.numbers("Again"), (std::map<std::string, int64_t>{{"a", 1}}));
  EXPECT_EQ(world.numbers("Tab"), (std::map<std::string, int64_t>{{"b", 2}}));
}

TEST(Backups, ABackupOfWhatIsGoneLeavesNothingBehind) {
  Backups world;
  const auto items = [&] {
    return std::ranges::count_if(world.disk.data, [](const auto& entry) { return entry.first.starts_with('I'); });
  };
  const auto logs = [&] {
    return std::ranges::count_if(world.disk.data, [](const auto& entry) { return entry.first.starts_with('L'); });
  };
  for (int i = 0; i < 20; ++i) world.put_number(std::to_string(i), i);
  const std::string arn = world.backup();
  world.put_number("1", 7);
  world.run("DeleteTable", R"({"TableName":"Tab"})");
  world.settle();
  EXPECT_EQ(items(), 20);
  EXPECT_EQ(logs(), 0);
  EXPECT_THAT(world.of_backup("DeleteBackup", arn), HasSubstr(R"("BackupStatus":"DELETED")"));
  EXPECT_EQ(items(), 0);
  EXPECT_EQ(world.of_backup("DescribeBackup", arn), "BackupNotFoundException: Backup not found: " + arn);
}

TEST(Backups, WhatCannotBeIsRefused) {
  Backups world;
  world.put_number("a", 1);
  EXPECT_EQ(world.run("CreateBackup", R"({"TableName":"None","BackupName":"daily"})"),
            "TableNotFoundException: Table not found: None");
  EXPECT_EQ(world.of_backup("DescribeBackup", "arn:aws:dynamodb:us-east-1:000000000000:table/Tab"),
            "ValidationException: Invalid Backup ARN");
  const std::string arn = world.backup();
  world.settle();
  EXPECT_EQ(world.restore(arn, "Tab"), "TableAlreadyExistsException: Table already exists: Tab");
  EXPECT_EQ(world.restore(arn.substr(0, arn.size() - 4) + "ffff", "Again").substr(0, 23), "BackupNotFoundException");
  EXPECT_THAT(world.restore(arn, "Again"), HasSubstr("CREATING"));
  EXPECT_EQ(world.restore(arn, "Again"),
            "TableInUseException: Table: Again is already being restored from backup: " + arn);
  EXPECT_THAT(world.restore(arn, "Other"), HasSubstr("BackupInUseException"));
  EXPECT_THAT(world.of_backup("DeleteBackup", arn), HasSubstr("BackupInUseException"));
  EXPECT_EQ(world.run("PutItem", R"({"TableName":"Again","Item":{"k":{"S":"a"}}})"),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_EQ(
      world.run("DeleteTable", R"({"TableName":"Again"})"),
      "ResourceInUseException: Attempt to change a resource which is still in use: Table is being created: Again");
  world.settle();
  EXPECT_THAT(world.of_backup("DeleteBackup", arn), HasSubstr("DELETED"));
}

TEST(Backups, ARestoreMayChangeTheBilling) {
  Backups world;
  const std::string arn = world.backup();
  world.settle();
  EXPECT_EQ(world.restore(arn, "Again", R"(,"BillingModeOverride":"PROVISIONED")"),
            "ValidationException: Invalid Request: Must override ProvisionedThroughput if BillingMode is overridden to "
            "PROVISIONED");
  EXPECT_EQ(
      world.restore(arn, "Again", R"(,"ProvisionedThroughputOverride":{"ReadCapacityUnits":1,"WriteCapacityUnits":2})"),
      "ValidationException: Invalid Request: Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED");
  EXPECT_THAT(world.restore(arn, "Again", R"(,"BillingModeOverride":"PROVISIONED",
                  "ProvisionedThroughputOverride":{"ReadCapacityUnits":1,"WriteCapacityUnits":2})"),
              HasSubstr(R"("ReadCapacityUnits":1,"WriteCapacityUnits":2)"));
}

constexpr const char* kIndexed = R"({"TableName":"Ind","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[
    {"AttributeName":"k","AttributeType":"S"},{"AttributeName":"n","AttributeType":"N"}],
    "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],
    "GlobalSecondaryIndexes":[{"IndexName":"by-n","KeySchema":[{"AttributeName":"n","KeyType":"HASH"}],
                               "Projection":{"ProjectionType":"ALL"}}]})";
constexpr const char* kByN = R"("KeyConditionExpression":"n=:n","ExpressionAttributeValues":{":n":{"N":"7"}}})";

TEST(Backups, IndexesAreRestoredWithTheirEntriesUnlessTheRequestSaysOtherwise) {
  Backups world;
  world.run("CreateTable", kIndexed);
  world.run("PutItem", R"({"TableName":"Ind","Item":{"k":{"S":"a"},"n":{"N":"7"}}})");
  world.run("PutItem", R"({"TableName":"Ind","Item":{"k":{"S":"b"}}})");
  const std::string arn =
      text(world.ask("CreateBackup", R"({"TableName":"Ind","BackupName":"daily"})"), {"BackupDetails", "BackupArn"});
  world.run("UpdateItem", R"({"TableName":"Ind","Key":{"k":{"S":"a"}},"UpdateExpression":"REMOVE n"})");
  world.settle();
  EXPECT_THAT(world.of_backup("DescribeBackup", arn), HasSubstr(R"("IndexName":"by-n")"));
  world.restore(arn, "All");
  world.settle();
  EXPECT_THAT(world.run("Query", R"({"TableName":"All","IndexName":"by-n",)" + std::string(kByN)),
              HasSubstr(R"("Items":[{"k":{"S":"a"},"n":{"N":"7"}}])"));
  world.restore(arn, "None", R"(,"GlobalSecondaryIndexOverride":[])");
  world.settle();
  EXPECT_THAT(world.run("DescribeTable", R"({"TableName":"None"})"), Not(HasSubstr("by-n")));
  const std::string renamed = R"(,"GlobalSecondaryIndexOverride":[{"IndexName":"renamed","KeySchema":
      [{"AttributeName":"n","KeyType":"HASH"}],"Projection":{"ProjectionType":")";
  EXPECT_EQ(
      world.restore(arn, "Other", renamed + R"(KEYS_ONLY"}}])"),
      "ValidationException: Invalid Request: Index renamed does not match a secondary index that existed in the source "
      "table and cannot be created during the restore operation");
  EXPECT_THAT(world.restore(arn, "Other", renamed + R"(ALL"}}])"), HasSubstr("CREATING"));
  world.settle();
  EXPECT_THAT(world.run("Query", R"({"TableName":"Other","IndexName":"renamed",)" + std::string(kByN)),
              HasSubstr(R"("Count":1)"));
}

TEST(Backups, BackupsAreListed) {
  Backups world;
  world.create_table("Other");
  const std::string first = world.backup("first");
  world.advance(seconds(10));
  const std::string second = world.backup("second");
  world.run("CreateBackup", R"({"TableName":"Other","BackupName":"other"})");
  world.settle();
  const auto names = [&](std::string_view request) {
    std::string list;
    const auto answer = world.ask("ListBackups", request);
    for (const auto& summary : answer.find("BackupSummaries")->array())
      list += summary.find("BackupName")->string() + " ";
    if (answer.find("LastEvaluatedBackupArn")) list += "...";
    return list;
  };
  EXPECT_EQ(names("{}"), "other first second ");
  EXPECT_EQ(names(R"({"TableName":"Tab"})"), "first second ");
  EXPECT_EQ(names(R"({"TableName":"Tab","Limit":1})"), "first ...");
  EXPECT_EQ(names(R"({"TableName":"Tab","ExclusiveStartBackupArn":")" + first + R"("})"), "second ");
  EXPECT_EQ(names(R"({"TableName":"Tab","TimeRangeLowerBound":1773446401})"), "second ");
  EXPECT_EQ(names(R"({"TableName":"Tab","TimeRangeUpperBound":1773446410})"), "first ");
  EXPECT_EQ(names(R"({"BackupType":"SYSTEM"})"), "");
}

// ---- Point-in-time recovery ----

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

// ---- Simulation: what a backup and a restored table hold is one moment of the table, whatever happens meanwhile ----

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
