// AWS::DynamoDB::GlobalTable with one replica, in the stack's own region: a table like any other.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/dynamodb_changes.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kGlobalTableNameSizeMax = 255;
constexpr std::string_view kNoScaling = "throughput does not scale by itself; PAY_PER_REQUEST needs none of it";
constexpr std::string_view kOneRegion = "a table has one replica";

constexpr Property kGlobalTableAttributeDefinition[] = {
    {.name = "AttributeName", .required = true},
    {.name = "AttributeType", .required = true},
};

constexpr Property kGlobalTableKeySchema[] = {
    {.name = "AttributeName", .required = true},
    {.name = "KeyType", .required = true},
};

constexpr Property kGlobalTableProjection[] = {
    {.name = "NonKeyAttributes", .form = Form::list},
    {.name = "ProjectionType"},
};

constexpr Property kGlobalTableReadOnDemandThroughputSettings[] = {
    {.name = "MaxReadRequestUnits", .kind = Kind::integer},
};

constexpr Property kGlobalTableWarmThroughput[] = {
    {.name = "ReadUnitsPerSecond", .kind = Kind::integer},
    {.name = "WriteUnitsPerSecond", .kind = Kind::integer},
};

constexpr Property kGlobalTableWriteOnDemandThroughputSettings[] = {
    {.name = "MaxWriteRequestUnits", .kind = Kind::integer},
};

constexpr Property kGlobalTableGlobalSecondaryIndex[] = {
    {.name = "IndexName", .required = true},
    {.name = "KeySchema", .kind = Kind::object, .form = Form::list, .required = true, .members = kGlobalTableKeySchema},
    {.name = "Projection", .kind = Kind::object, .required = true, .members = kGlobalTableProjection},
    {.name = "ReadOnDemandThroughputSettings",
     .kind = Kind::object,
     .members = kGlobalTableReadOnDemandThroughputSettings},
    {.name = "ReadProvisionedThroughputSettings", .kind = Kind::json, .refused = kNoScaling},
    {.name = "WarmThroughput", .kind = Kind::object, .members = kGlobalTableWarmThroughput},
    {.name = "WriteOnDemandThroughputSettings",
     .kind = Kind::object,
     .members = kGlobalTableWriteOnDemandThroughputSettings},
    {.name = "WriteProvisionedThroughputSettings", .kind = Kind::json, .refused = kNoScaling},
};

constexpr Property kGlobalTableLocalSecondaryIndex[] = {
    {.name = "IndexName", .required = true},
    {.name = "KeySchema", .kind = Kind::object, .form = Form::list, .required = true, .members = kGlobalTableKeySchema},
    {.name = "Projection", .kind = Kind::object, .required = true, .members = kGlobalTableProjection},
};

constexpr Property kGlobalTableContributorInsightsSpecification[] = {
    {.name = "Enabled", .kind = Kind::boolean, .required = true},
    {.name = "Mode"},
};

constexpr Property kGlobalTableReplicaGlobalSecondaryIndexSpecification[] = {
    {.name = "ContributorInsightsSpecification",
     .kind = Kind::object,
     .members = kGlobalTableContributorInsightsSpecification},
    {.name = "IndexName", .required = true},
    {.name = "ReadOnDemandThroughputSettings",
     .kind = Kind::object,
     .members = kGlobalTableReadOnDemandThroughputSettings},
    {.name = "ReadProvisionedThroughputSettings", .kind = Kind::json, .refused = kNoScaling},
};

constexpr Property kGlobalTableKinesisStreamSpecification[] = {
    {.name = "ApproximateCreationDateTimePrecision"},
    {.name = "StreamArn", .required = true},
};

constexpr Property kGlobalTablePointInTimeRecoverySpecification[] = {
    {.name = "PointInTimeRecoveryEnabled", .kind = Kind::boolean},
    {.name = "RecoveryPeriodInDays", .kind = Kind::integer},
};

constexpr Property kGlobalTableResourcePolicy[] = {
    {.name = "PolicyDocument", .kind = Kind::json, .required = true},
};

constexpr Property kGlobalTableReplicaStreamSpecification[] = {
    {.name = "ResourcePolicy", .kind = Kind::object, .members = kGlobalTableResourcePolicy},
    {.name = "Tags",
     .kind = Kind::object,
     .form = Form::list,
     .members = kTagProperties,
     .refused = "streams of tables have no tags of their own"},
};

constexpr Property kGlobalTableReplicaSSESpecification[] = {
    {.name = "KMSMasterKeyId", .required = true},
};

constexpr Property kGlobalTableReplicaSpecification[] = {
    {.name = "ContributorInsightsSpecification",
     .kind = Kind::object,
     .members = kGlobalTableContributorInsightsSpecification},
    {.name = "DeletionProtectionEnabled", .kind = Kind::boolean},
    {.name = "GlobalSecondaryIndexes",
     .kind = Kind::object,
     .form = Form::list,
     .members = kGlobalTableReplicaGlobalSecondaryIndexSpecification},
    {.name = "GlobalTableSettingsReplicationMode", .refused = kOneRegion},
    {.name = "KinesisStreamSpecification", .kind = Kind::object, .members = kGlobalTableKinesisStreamSpecification},
    {.name = "PointInTimeRecoverySpecification",
     .kind = Kind::object,
     .members = kGlobalTablePointInTimeRecoverySpecification},
    {.name = "ReadOnDemandThroughputSettings",
     .kind = Kind::object,
     .members = kGlobalTableReadOnDemandThroughputSettings},
    {.name = "ReadProvisionedThroughputSettings", .kind = Kind::json, .refused = kNoScaling},
    {.name = "Region", .required = true},
    {.name = "ReplicaStreamSpecification", .kind = Kind::object, .members = kGlobalTableReplicaStreamSpecification},
    {.name = "ResourcePolicy", .kind = Kind::object, .members = kGlobalTableResourcePolicy},
    {.name = "SSESpecification", .kind = Kind::object, .members = kGlobalTableReplicaSSESpecification},
    {.name = "TableClass"},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
};

constexpr Property kGlobalTableSSESpecification[] = {
    {.name = "SSEEnabled", .kind = Kind::boolean, .required = true},
    {.name = "SSEType"},
};

constexpr Property kGlobalTableStreamSpecification[] = {
    {.name = "StreamViewType", .required = true},
};

constexpr Property kGlobalTableTimeToLiveSpecification[] = {
    {.name = "AttributeName"},
    {.name = "Enabled", .kind = Kind::boolean, .required = true},
};

constexpr Property kGlobalTableProperties[] = {
    {.name = "TableName", .update = Update::replaces},
    {.name = "AttributeDefinitions",
     .kind = Kind::object,
     .form = Form::list,
     .members = kGlobalTableAttributeDefinition},
    {.name = "BillingMode"},
    {.name = "GlobalSecondaryIndexes",
     .kind = Kind::object,
     .form = Form::list,
     .members = kGlobalTableGlobalSecondaryIndex},
    {.name = "GlobalTableSourceArn", .refused = kOneRegion},
    {.name = "GlobalTableWitnesses", .kind = Kind::json, .refused = kOneRegion},
    {.name = "KeySchema",
     .kind = Kind::object,
     .form = Form::list,
     .update = Update::replaces,
     .members = kGlobalTableKeySchema},
    {.name = "LocalSecondaryIndexes",
     .kind = Kind::object,
     .form = Form::list,
     .update = Update::replaces,
     .members = kGlobalTableLocalSecondaryIndex},
    {.name = "MultiRegionConsistency", .refused = kOneRegion},
    {.name = "ReadOnDemandThroughputSettings",
     .kind = Kind::object,
     .members = kGlobalTableReadOnDemandThroughputSettings},
    {.name = "ReadProvisionedThroughputSettings", .kind = Kind::json, .refused = kNoScaling},
    {.name = "Replicas",
     .kind = Kind::object,
     .form = Form::list,
     .required = true,
     .members = kGlobalTableReplicaSpecification},
    {.name = "SSESpecification", .kind = Kind::object, .members = kGlobalTableSSESpecification},
    {.name = "StreamSpecification", .kind = Kind::object, .members = kGlobalTableStreamSpecification},
    {.name = "TimeToLiveSpecification", .kind = Kind::object, .members = kGlobalTableTimeToLiveSpecification},
    {.name = "VectorIndexes", .kind = Kind::json},
    {.name = "WarmThroughput", .kind = Kind::object, .members = kGlobalTableWarmThroughput},
    {.name = "WriteOnDemandThroughputSettings",
     .kind = Kind::object,
     .members = kGlobalTableWriteOnDemandThroughputSettings},
    {.name = "WriteProvisionedThroughputSettings", .kind = Kind::json, .refused = kNoScaling},
};

const json::Object& only_replica(const Step& step, const json::Object& properties) {
  const json::Value& replicas = *properties.find("Replicas");
  if (replicas.array().size() != 1 || text_of(replicas.array().front().object(), "Region") != step.region()) {
    throw InvalidRequest(cat("Replicas: Tidemill supports one, in the stack's region ", step.region(), "."));
  }
  return replicas.array().front().object();
}

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
json::Object as_table(const Step& step, const json::Object& properties) {
  const json::Object& replica = only_replica(step, properties);
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

Task<std::string> create_global_table(Step& step, const json::Object& properties) {
  const json::Object table = as_table(step, properties);
  const std::string name = name_of(step, properties, "TableName", kGlobalTableNameSizeMax);
  if (properties.find("TableName")) {
    co_await claim(step, name,
                   {"dynamodb", "DescribeTable", json::Object{{"TableName", name}}, {"ResourceNotFoundException"}});
  }
  json::Object request = table_description(table);
  for (const std::string_view member : {"KeySchema", "LocalSecondaryIndexes", "VectorIndexes"}) {
    copy_member(request, table, member);
  }
  request.set("TableName", name);
  request.set("Tags", tag_list(step, table));
  co_await step.call_or_null("dynamodb", "CreateTable", std::move(request), {"ResourceInUseException"});
  co_await step.made(name);
  co_await await_table(step, name);
  co_await change_table_features(step, name, {}, table);
  co_await change_table_policy(step, step.arn("dynamodb", cat("table/", name)), {}, object_of(table, "ResourcePolicy"));
  co_return name;
}

Task<std::string> update_global_table(Step& step, std::string name, const json::Object& before,
                                      const json::Object& after) {
  const json::Object old_table = as_table(step, before), new_table = as_table(step, after);
  co_await change_table(step, name, old_table, new_table);
  co_await change_table_features(step, name, old_table, new_table);
  co_await change_table_policy(step, step.arn("dynamodb", cat("table/", name)), object_of(old_table, "ResourcePolicy"),
                               object_of(new_table, "ResourcePolicy"));
  co_await change_table_tags(step, name, old_table, new_table);
  co_return name;
}

}  // namespace

const ResourceType types::kDynamoDbGlobalTable = {
    .name = "AWS::DynamoDB::GlobalTable",
    .properties = kGlobalTableProperties,
    .create = create_global_table,
    .update = update_global_table,
    .remove = remove_table,
    .attributes = describe_table,
    .name_property = "TableName",
};

}  // namespace tidemill::cloudformation
