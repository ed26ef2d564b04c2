#include "services/cloudformation/types/dynamodb_reading.h"

#include "base/text.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/reading.h"

namespace tidemill::cloudformation {

namespace {

using base::cat;

json::Object asked_of_table(const std::string& name) { return json::Object{{"TableName", name}}; }

// Of a table or an index. What has no units of its own, on demand, shows zeros, which are no property.
void set_units(json::Object& result, const json::Object& described, bool on_demand) {
  if (!on_demand) {
    result.set("ProvisionedThroughput", take(object_of(described, "ProvisionedThroughput"),
                                             {"ReadCapacityUnits", "WriteCapacityUnits"}));
  }
  copy_member(result, described, "OnDemandThroughput");
  const json::Object warm =
      take(object_of(described, "WarmThroughput"), {"ReadUnitsPerSecond", "WriteUnitsPerSecond"});
  if (!warm.empty()) result.set("WarmThroughput", warm);
}

void set_table_indexes(json::Object& result, const json::Object& table, bool on_demand) {
  json::Array global, local;
  for (const json::Value& index : list_of(table, "GlobalSecondaryIndexes")) {
    json::Object one = take(index.object(), {"IndexName", "KeySchema", "Projection"});
    set_units(one, index.object(), on_demand);
    global.push_back(std::move(one));
  }
  for (const json::Value& index : list_of(table, "LocalSecondaryIndexes")) {
    local.push_back(take(index.object(), {"IndexName", "KeySchema", "Projection"}));
  }
  if (!global.empty()) result.set("GlobalSecondaryIndexes", std::move(global));
  if (!local.empty()) result.set("LocalSecondaryIndexes", std::move(local));
}

void set_encryption(json::Object& result, const json::Object& table) {
  const json::Object described = object_of(table, "SSEDescription");
  if (described.empty()) return;
  json::Object encryption{{"SSEEnabled", true}};
  copy_member(encryption, described, "SSEType");
  copy_member(encryption, described, "KMSMasterKeyArn", "KMSMasterKeyId");
  result.set("SSESpecification", std::move(encryption));
}

// {PolicyDocument}; empty: there is none.
Task<json::Object> read_table_policy(Step& step, std::string arn) {
  const json::Value found = co_await step.call_or_null("dynamodb", "GetResourcePolicy", json::Object{{"ResourceArn", arn}},
                                                       {"PolicyNotFoundException", "ResourceNotFoundException"});
  if (!found.is_object()) co_return json::Object();
  co_return json::Object{{"PolicyDocument", document_of_text(found.object(), "Policy")}};
}

Task<json::Object> read_table_stream(Step& step, const json::Object& table) {
  json::Object result = take(object_of(table, "StreamSpecification"), {"StreamViewType"});
  const std::string arn = text_of(table, "LatestStreamArn");
  if (result.empty() || arn.empty()) co_return result;
  const json::Object policy = co_await read_table_policy(step, arn);
  if (!policy.empty()) result.set("ResourcePolicy", policy);
  co_return result;
}

// What operations of their own tell.
Task<void> read_table_features(Step& step, std::string name, json::Object& result) {
  const json::Value expiry = co_await step.call("dynamodb", "DescribeTimeToLive", asked_of_table(name));
  const json::Object described = object_of(expiry.object(), "TimeToLiveDescription");
  if (text_of(described, "TimeToLiveStatus").starts_with("ENABL")) {
    result.set("TimeToLiveSpecification",
               json::Object{{"AttributeName", text_of(described, "AttributeName")}, {"Enabled", true}});
  }
  const json::Value backups = co_await step.call("dynamodb", "DescribeContinuousBackups", asked_of_table(name));
  const json::Object recovery = object_of(object_of(backups.object(), "ContinuousBackupsDescription"),
                                          "PointInTimeRecoveryDescription");
  const bool recovers = text_of(recovery, "PointInTimeRecoveryStatus") == "ENABLED";
  json::Object specification{{"PointInTimeRecoveryEnabled", recovers}};
  if (recovers) copy_member(specification, recovery, "RecoveryPeriodInDays");
  result.set("PointInTimeRecoverySpecification", std::move(specification));
  const json::Value streaming =
      co_await step.call("dynamodb", "DescribeKinesisStreamingDestination", asked_of_table(name));
  for (const json::Value& one : list_of(streaming.object(), "KinesisDataStreamDestinations")) {
    if (text_of(one.object(), "DestinationStatus") != "ACTIVE") continue;
    result.set("KinesisStreamSpecification",
               take(one.object(), {"ApproximateCreationDateTimePrecision", "StreamArn"}));
  }
}

}  // namespace

Task<json::Object> read_table(Step& step, std::string name) {
  const json::Value found = co_await step.call("dynamodb", "DescribeTable", asked_of_table(name));
  const json::Object table = object_of(found.object(), "Table");
  const std::string arn = step.arn("dynamodb", cat("table/", name));
  json::Object result = take(table, {"TableName", "AttributeDefinitions", "KeySchema", "DeletionProtectionEnabled"});
  // A table that was never on demand has no mode to tell.
  const std::string mode = text_or(object_of(table, "BillingModeSummary"), "BillingMode", "PROVISIONED");
  const bool on_demand = mode == "PAY_PER_REQUEST";
  result.set("BillingMode", mode);
  set_units(result, table, on_demand);
  set_table_indexes(result, table, on_demand);
  set_encryption(result, table);
  copy_member(result, object_of(table, "TableClassSummary"), "TableClass");
  if (const json::Object stream = co_await read_table_stream(step, table); !stream.empty()) {
    result.set("StreamSpecification", stream);
  }
  co_await read_table_features(step, name, result);
  if (const json::Object policy = co_await read_table_policy(step, arn); !policy.empty()) {
    result.set("ResourcePolicy", policy);
  }
  const json::Value tags(
      co_await all_pages(step, "dynamodb", "ListTagsOfResource", "Tags", json::Object{{"ResourceArn", arn}}));
  set_tags(result, &tags);
  co_return result;
}

Task<std::vector<std::string>> list_tables(Step& step) {
  return list_all(step, "dynamodb", "ListTables", "TableNames", "", {},
                  {"LastEvaluatedTableName", "ExclusiveStartTableName"});
}

}  // namespace tidemill::cloudformation
