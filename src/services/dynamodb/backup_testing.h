// For tests of backups, point-in-time recovery and restored tables: a world with a table, and what is asked of it.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "services/dynamodb/backup_timers.h"
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb::testing {

// What stands at the end of the path: a string as it is, anything else as JSON.
inline std::string text(const json::Value& document, std::initializer_list<std::string_view> path) {
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

}  // namespace tidemill::dynamodb::testing
