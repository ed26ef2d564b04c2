#include "services/cloudformation/types/dynamodb_replicas.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/dynamodb_changes.h"
#include "services/cloudformation/types/elsewhere.h"

namespace tidemill::cloudformation {

namespace {

using base::cat;

constexpr std::string_view kDefaultClass = "STANDARD";
constexpr int kNoMaximum = -1;

// ---- What a template says ----

json::Object on_demand_of(const json::Object& write, const json::Object& read) {
  json::Object result = take(object_of(write, "WriteOnDemandThroughputSettings"), {"MaxWriteRequestUnits"});
  const json::Object own = object_of(read, "ReadOnDemandThroughputSettings");
  copy_member(result, own.empty() ? object_of(write, "ReadOnDemandThroughputSettings") : own, "MaxReadRequestUnits");
  return result;
}

// The replica's own settings of an index of this name; empty: none.
json::Object replica_index(const json::Object& replica, const std::string& name) {
  for (const json::Value& index : list_of(replica, "GlobalSecondaryIndexes")) {
    if (text_of(index.object(), "IndexName") == name) return index.object();
  }
  return {};
}

json::Array table_indexes(const json::Object& properties, const json::Object& replica) {
  json::Array indexes;
  for (const json::Value& index : list_of(properties, "GlobalSecondaryIndexes")) {
    json::Object one = take(index.object(), {"IndexName", "KeySchema", "Projection", "WarmThroughput"});
    const json::Object own = replica_index(replica, text_of(index.object(), "IndexName"));
    copy_member(one, own, "ContributorInsightsSpecification");
    if (json::Object limits = on_demand_of(index.object(), own); !limits.empty()) {
      one.set("OnDemandThroughput", std::move(limits));
    }
    indexes.push_back(std::move(one));
  }
  return indexes;
}

// The same as properties of AWS::DynamoDB::Table.
json::Object as_table(const json::Object& properties, const json::Object& replica) {
  json::Object table =
      take(properties, {"AttributeDefinitions", "BillingMode", "KeySchema", "LocalSecondaryIndexes", "SSESpecification",
                        "StreamSpecification", "TimeToLiveSpecification", "WarmThroughput", "VectorIndexes"});
  for (const std::string_view name :
       {"PointInTimeRecoverySpecification", "KinesisStreamSpecification", "TableClass", "DeletionProtectionEnabled",
        "Tags", "ResourcePolicy", "ContributorInsightsSpecification"}) {
    copy_member(table, replica, name);
  }
  if (json::Array indexes = table_indexes(properties, replica); !indexes.empty()) {
    table.set("GlobalSecondaryIndexes", std::move(indexes));
  }
  if (json::Object limits = on_demand_of(properties, replica); !limits.empty()) {
    table.set("OnDemandThroughput", std::move(limits));
  }
  if (json::Value* encryption = table.find("SSESpecification")) {
    copy_member(encryption->object(), object_of(replica, "SSESpecification"), "KMSMasterKeyId");
  }
  const json::Object stream = object_of(replica, "ReplicaStreamSpecification");
  if (json::Value* streaming = table.find("StreamSpecification")) {
    copy_member(streaming->object(), stream, "ResourcePolicy");
  }
  return table;
}

void check_suits_elsewhere(const json::Object& replica) {
  for (const json::Value& index : list_of(replica, "GlobalSecondaryIndexes")) {
    if (!index.object().find("ReadOnDemandThroughputSettings")) continue;
    throw InvalidRequest(
        "Replicas: Tidemill supports no ReadOnDemandThroughputSettings of GlobalSecondaryIndexes of a replica in another "
        "region.");
  }
}

// ---- How they come, change and go ----

Task<bool> has_replica(Step& step, std::string name, std::string region) {
  const json::Value answer = co_await step.call_or_null("dynamodb", "DescribeTable", json::Object{{"TableName", name}},
                                                        {"ResourceNotFoundException"});
  const json::Value table = answered(answer, "Table");
  if (!table.is_object()) co_return false;
  const json::Array replicas = list_of(table.object(), "Replicas");
  co_return std::ranges::any_of(
      replicas, [&](const json::Value& one) { return text_of(one.object(), "RegionName") == region; });
}

Task<void> update_replicas(Step& step, std::string name, std::string action, json::Object member) {
  json::Array updates;
  json::Object update;
  update.set(action, std::move(member));
  updates.push_back(std::move(update));
  co_await step.call("dynamodb", "UpdateTable",
                     json::Object{{"TableName", name}, {"ReplicaUpdates", std::move(updates)}});
  co_await await_table(step, name);
}

Task<void> protect(Step& there, std::string name, bool protection) {
  co_await there.call("dynamodb", "UpdateTable",
                      json::Object{{"TableName", name}, {"DeletionProtectionEnabled", protection}});
}

json::Value maximum_of(const json::Object& replica) {
  const json::Object limits = object_of(replica, "OnDemandThroughput");
  const json::Value* maximum = limits.find("MaxReadRequestUnits");
  return maximum ? *maximum : json::Value(kNoMaximum);
}

// What it shall be, whatever became of it when the table in the stack's region was changed: others may follow that.
Task<void> override_settings(Step& step, std::string name, std::string region, const json::Object& before,
                             const json::Object& after) {
  Elsewhere there(step, region);
  const json::Value answer = co_await there.call("dynamodb", "DescribeTable", json::Object{{"TableName", name}});
  const json::Value replica = answered(answer, "Table");
  const json::Object summary = object_of(replica.object(), "TableClassSummary");
  const std::string wanted = text_or(after, "TableClass", before.find("TableClass") ? kDefaultClass : "");
  json::Object member;
  if (!wanted.empty() && text_or(summary, "TableClass", kDefaultClass) != wanted) {
    member.set("TableClassOverride", wanted);
  }
  if (!json::equal(maximum_of(replica.object()), maximum_of(after))) {
    member.set("OnDemandThroughputOverride", json::Object{{"MaxReadRequestUnits", maximum_of(after)}});
  }
  if (member.empty()) co_return;
  member.set("RegionName", region);
  co_await update_replicas(step, name, "Update", std::move(member));
}

}  // namespace

Replicas::Replicas(const Step& step, const json::Object& properties, Said said) {
  const bool is_checked = said == Said::now;
  if (const std::string consistency = text_or(properties, "MultiRegionConsistency", "EVENTUAL");
      is_checked && consistency != "EVENTUAL") {
    throw InvalidRequest(cat("MultiRegionConsistency: Tidemill does not support ", consistency, "."));
  }
  bool is_here = false;
  for (const json::Value& each : list_of(properties, "Replicas")) {
    const json::Object& replica = each.object();
    const std::string region = text_of(replica, "Region");
    json::Object table = as_table(properties, replica);
    bool is_new = true;
    if (region == step.region()) {
      is_new = !std::exchange(is_here, true);
      here_ = std::move(table);
    } else {
      if (is_checked) check_suits_elsewhere(replica);
      table.erase("TimeToLiveSpecification");
      is_new = elsewhere_.emplace(region, std::move(table)).second;
    }
    if (is_checked && !is_new) throw InvalidRequest(cat("Replicas: there are two in ", region, "."));
  }
  if (is_here) return;
  if (is_checked) throw InvalidRequest(cat("Replicas: there is none in the stack's region ", step.region(), "."));
  here_ = as_table(properties, {});
}

Task<void> add_replica(Step& step, std::string name, std::string region, const json::Object& wanted) {
  if (!co_await has_replica(step, name, region)) {
    json::Object member{{"RegionName", region}};
    copy_member(member, object_of(wanted, "SSESpecification"), "KMSMasterKeyId");
    copy_member(member, wanted, "TableClass", "TableClassOverride");
    member.set("OnDemandThroughputOverride", json::Object{{"MaxReadRequestUnits", maximum_of(wanted)}});
    co_await update_replicas(step, name, "Create", std::move(member));
  }
  co_await await_table(step, name);
  Elsewhere there(step, region);
  const std::string arn = there.arn("dynamodb", cat("table/", name));
  if (json::Array tags = tag_list(there, wanted); !tags.empty()) {
    co_await there.call("dynamodb", "TagResource", json::Object{{"ResourceArn", arn}, {"Tags", std::move(tags)}});
  }
  co_await change_table_features(there, name, {}, wanted);
  co_await change_table_policy(there, arn, {}, object_of(wanted, "ResourcePolicy"));
  if (is_true(wanted, "DeletionProtectionEnabled")) co_await protect(there, name, true);
}

Task<void> change_replica(Step& step, std::string name, std::string region, const json::Object& before,
                          const json::Object& after) {
  co_await override_settings(step, name, region, before, after);
  Elsewhere there(step, region);
  co_await change_table_features(there, name, before, after);
  co_await change_table_policy(there, there.arn("dynamodb", cat("table/", name)), object_of(before, "ResourcePolicy"),
                               object_of(after, "ResourcePolicy"));
  co_await change_table_tags(there, name, before, after);
  const bool shall_be = is_true(after, "DeletionProtectionEnabled");
  if (is_true(before, "DeletionProtectionEnabled") != shall_be) co_await protect(there, name, shall_be);
}

Task<void> remove_replica(Step& step, std::string name, std::string region) {
  if (!co_await has_replica(step, name, region)) co_return;
  co_await await_table(step, name);  // it may be filled still, by a try that was cut off: then it cannot be deleted
  co_await update_replicas(step, name, "Delete", json::Object{{"RegionName", region}});
}

}  // namespace tidemill::cloudformation
