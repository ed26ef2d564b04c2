// AWS::DynamoDB::GlobalTable. The replica in the stack's own region is a table like any other, and is made first; what all
// replicas have alike is changed there. The others are made from it, and what they have of their own is changed where
// they stand (dynamodb_replicas.cc).
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/dynamodb_changes.h"
#include "services/cloudformation/types/dynamodb_replicas.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kGlobalTableNameSizeMax = 255;
constexpr std::string_view kNoScaling = "throughput does not scale by itself; PAY_PER_REQUEST needs none of it";
constexpr std::string_view kOneAccount = "replicas are of one account";
constexpr std::string_view kNoWitnesses = "there is nothing to witness where one store holds all replicas";

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
    {.name = "GlobalTableSettingsReplicationMode", .refused = kOneAccount},
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
     .update = Update::perhaps,
     .members = kGlobalTableAttributeDefinition},
    {.name = "BillingMode"},
    {.name = "GlobalSecondaryIndexes",
     .kind = Kind::object,
     .form = Form::list,
     .members = kGlobalTableGlobalSecondaryIndex},
    {.name = "GlobalTableSourceArn", .refused = kOneAccount},
    {.name = "GlobalTableWitnesses", .kind = Kind::json, .refused = kNoWitnesses},
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
    {.name = "MultiRegionConsistency"},
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

Task<std::string> create_global_table(Step& step, const json::Object& properties) {
  const Replicas replicas(step, properties);
  const json::Object& table = replicas.here();
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
  for (const auto& [region, replica] : replicas.elsewhere()) co_await add_replica(step, name, region, replica);
  co_return name;
}

Task<std::string> update_global_table(Step& step, std::string name, const json::Object& before,
                                      const json::Object& after) {
  const Replicas old_replicas(step, before, Replicas::Said::before), new_replicas(step, after);
  const json::Object &old_table = old_replicas.here(), &new_table = new_replicas.here();
  // Those that go, go first: with the last of them goes what a table with replicas cannot be changed in.
  for (const auto& [region, replica] : old_replicas.elsewhere()) {
    if (!new_replicas.elsewhere().contains(region)) co_await remove_replica(step, name, region);
  }
  co_await change_table(step, name, old_table, new_table);
  co_await change_table_features(step, name, old_table, new_table);
  co_await change_table_policy(step, step.arn("dynamodb", cat("table/", name)), object_of(old_table, "ResourcePolicy"),
                               object_of(new_table, "ResourcePolicy"));
  co_await change_table_tags(step, name, old_table, new_table);
  for (const auto& [region, replica] : new_replicas.elsewhere()) {
    const auto old_replica = old_replicas.elsewhere().find(region);
    if (old_replica == old_replicas.elsewhere().end()) {
      co_await add_replica(step, name, region, replica);
    } else {
      co_await change_replica(step, name, region, old_replica->second, replica);
    }
  }
  co_return name;
}

Task<void> remove_global_table(Step& step, std::string name, const json::Object& properties) {
  const Replicas replicas(step, properties, Replicas::Said::before);
  for (const auto& [region, replica] : replicas.elsewhere()) co_await remove_replica(step, name, region);
  co_await remove_table(step, name, properties);
}

}  // namespace

const ResourceType types::kDynamoDbGlobalTable = {
    .name = "AWS::DynamoDB::GlobalTable",
    .properties = kGlobalTableProperties,
    .create = create_global_table,
    .update = update_global_table,
    .remove = remove_global_table,
    .attributes = describe_table,
    .replaces = attribute_is_edited,
    .name_property = "TableName",
};

}  // namespace tidemill::cloudformation
