// Backups and tables restored from them, asked for as clients ask.
#include <algorithm>

#include "services/dynamodb/backup_testing.h"

namespace tidemill::dynamodb {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::Backups;
using testing::text;

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

TEST(Backups, RestoredIndexesHaveNamesOfTheirOwnAndAreNoMoreThanATableMayHave) {
  Backups world;
  world.run("CreateTable", R"({"TableName":"Ind","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[
    {"AttributeName":"k","AttributeType":"S"},{"AttributeName":"s","AttributeType":"S"},
    {"AttributeName":"n","AttributeType":"N"}],
    "KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"s","KeyType":"RANGE"}],
    "LocalSecondaryIndexes":[{"IndexName":"local","KeySchema":[{"AttributeName":"k","KeyType":"HASH"},
        {"AttributeName":"n","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],
    "GlobalSecondaryIndexes":[{"IndexName":"by-n","KeySchema":[{"AttributeName":"n","KeyType":"HASH"}],
        "Projection":{"ProjectionType":"ALL"}}]})");
  const std::string arn =
      text(world.ask("CreateBackup", R"({"TableName":"Ind","BackupName":"daily"})"), {"BackupDetails", "BackupArn"});
  world.settle();
  const auto restore = [&](std::initializer_list<std::string> names) {
    std::string list;
    for (const std::string& name : names) {
      list += (list.empty() ? "" : ",") + (R"({"IndexName":")" + name) +
              R"(","KeySchema":[{"AttributeName":"n","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}})";
    }
    return world.restore(arn, "Again", R"(,"GlobalSecondaryIndexOverride":[)" + list + "]");
  };
  const std::string invalid = "ValidationException: One or more parameter values were invalid: ";
  EXPECT_EQ(restore({"same", "same"}), invalid + "Duplicate index name: same");
  EXPECT_EQ(restore({"local"}), invalid + "Duplicate index name: local");
  EXPECT_EQ(restore({"aaa", "bbb", "ccc", "ddd", "eee", "fff", "ggg", "hhh", "iii", "jjj", "kkk",
                     "lll", "mmm", "nnn", "ooo", "ppp", "qqq", "rrr", "sss", "ttt", "uuu"}),
            invalid + "GlobalSecondaryIndex count exceeds the per-table limit of 20");
  EXPECT_THAT(restore({"one", "two"}), HasSubstr("CREATING"));
}

TEST(Backups, ARestoredIndexHasTheWarmThroughputThatTheRequestGives) {
  Backups world;
  world.run("CreateTable", kIndexed);
  const std::string arn =
      text(world.ask("CreateBackup", R"({"TableName":"Ind","BackupName":"daily"})"), {"BackupDetails", "BackupArn"});
  world.settle();
  const auto restore = [&](std::string_view reads) {
    return world.restore(arn, "Again",
                         R"(,"GlobalSecondaryIndexOverride":[{"IndexName":"by-n","KeySchema":
        [{"AttributeName":"n","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"},
        "WarmThroughput":{"ReadUnitsPerSecond":)" +
                             std::string(reads) + "}}]");
  };
  EXPECT_EQ(restore("11000"),
            "ValidationException: One or more parameter values were invalid: Requested ReadUnitsPerSecond for "
            "WarmThroughput for index: by-n is lower than initial throughput for OnDemand");
  EXPECT_THAT(restore("15000"), HasSubstr("CREATING"));
  world.settle();
  const auto described = world.ask("DescribeTable", R"({"TableName":"Again"})");
  const json::Value& index = described.find("Table")->find("GlobalSecondaryIndexes")->array().at(0);
  EXPECT_EQ(text(index, {"WarmThroughput", "ReadUnitsPerSecond"}), "15000");
  EXPECT_EQ(text(index, {"WarmThroughput", "WriteUnitsPerSecond"}), "4000");
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

}  // namespace
}  // namespace tidemill::dynamodb
