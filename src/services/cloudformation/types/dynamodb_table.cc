// AWS::DynamoDB::Table. What is asked for beside the table itself (TTL, recovery, a stream to Kinesis, policies) are
// operations of their own, one after the other, since a table that is being changed takes no other change.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/dynamodb_changes.h"
#include "services/cloudformation/types/dynamodb_reading.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kTableNameSizeMax = 255;

constexpr Property kTableAttributeDefinition[] = {
    {.name = "AttributeName", .required = true},
    {.name = "AttributeType", .required = true},
};

constexpr Property kTableContributorInsightsSpecification[] = {
    {.name = "Enabled", .kind = Kind::boolean, .required = true},
    {.name = "Mode"},
};

constexpr Property kTableKeySchema[] = {
    {.name = "AttributeName", .required = true},
    {.name = "KeyType", .required = true},
};

constexpr Property kTableOnDemandThroughput[] = {
    {.name = "MaxReadRequestUnits", .kind = Kind::integer},
    {.name = "MaxWriteRequestUnits", .kind = Kind::integer},
};

constexpr Property kTableProjection[] = {
    {.name = "NonKeyAttributes", .form = Form::list},
    {.name = "ProjectionType"},
};

constexpr Property kTableProvisionedThroughput[] = {
    {.name = "ReadCapacityUnits", .kind = Kind::integer, .required = true},
    {.name = "WriteCapacityUnits", .kind = Kind::integer, .required = true},
};

constexpr Property kTableWarmThroughput[] = {
    {.name = "ReadUnitsPerSecond", .kind = Kind::integer},
    {.name = "WriteUnitsPerSecond", .kind = Kind::integer},
};

constexpr Property kTableGlobalSecondaryIndex[] = {
    {.name = "ContributorInsightsSpecification",
     .kind = Kind::object,
     .members = kTableContributorInsightsSpecification},
    {.name = "IndexName", .required = true},
    {.name = "KeySchema", .kind = Kind::object, .form = Form::list, .required = true, .members = kTableKeySchema},
    {.name = "OnDemandThroughput", .kind = Kind::object, .members = kTableOnDemandThroughput},
    {.name = "Projection", .kind = Kind::object, .required = true, .members = kTableProjection},
    {.name = "ProvisionedThroughput", .kind = Kind::object, .members = kTableProvisionedThroughput},
    {.name = "WarmThroughput", .kind = Kind::object, .members = kTableWarmThroughput},
};

constexpr Property kTableCsv[] = {
    {.name = "Delimiter"},
    {.name = "HeaderList", .form = Form::list},
};

constexpr Property kTableInputFormatOptions[] = {
    {.name = "Csv", .kind = Kind::object, .members = kTableCsv},
};

constexpr Property kTableS3BucketSource[] = {
    {.name = "S3Bucket", .required = true},
    {.name = "S3BucketOwner"},
    {.name = "S3KeyPrefix"},
};

constexpr Property kTableImportSourceSpecification[] = {
    {.name = "InputCompressionType"},
    {.name = "InputFormat", .required = true},
    {.name = "InputFormatOptions", .kind = Kind::object, .members = kTableInputFormatOptions},
    {.name = "S3BucketSource", .kind = Kind::object, .required = true, .members = kTableS3BucketSource},
};

constexpr Property kTableKinesisStreamSpecification[] = {
    {.name = "ApproximateCreationDateTimePrecision"},
    {.name = "StreamArn", .required = true},
};

constexpr Property kTableLocalSecondaryIndex[] = {
    {.name = "IndexName", .required = true},
    {.name = "KeySchema", .kind = Kind::object, .form = Form::list, .required = true, .members = kTableKeySchema},
    {.name = "Projection", .kind = Kind::object, .required = true, .members = kTableProjection},
};

constexpr Property kTablePointInTimeRecoverySpecification[] = {
    {.name = "PointInTimeRecoveryEnabled", .kind = Kind::boolean},
    {.name = "RecoveryPeriodInDays", .kind = Kind::integer},
};

constexpr Property kTableResourcePolicy[] = {
    {.name = "PolicyDocument", .kind = Kind::json, .required = true},
};

constexpr Property kTableSSESpecification[] = {
    {.name = "KMSMasterKeyId"},
    {.name = "SSEEnabled", .kind = Kind::boolean, .required = true},
    {.name = "SSEType"},
};

constexpr Property kTableStreamSpecification[] = {
    {.name = "ResourcePolicy", .kind = Kind::object, .members = kTableResourcePolicy},
    {.name = "StreamViewType", .required = true},
    {.name = "Tags",
     .kind = Kind::object,
     .form = Form::list,
     .members = kTagProperties,
     .refused = "streams of tables have no tags of their own"},
};

constexpr Property kTableTimeToLiveSpecification[] = {
    {.name = "AttributeName"},
    {.name = "Enabled", .kind = Kind::boolean, .required = true},
};

constexpr Property kTableProperties[] = {
    {.name = "TableName", .update = Update::replaces},
    {.name = "AttributeDefinitions",
     .kind = Kind::object,
     .form = Form::list,
     .update = Update::perhaps,
     .members = kTableAttributeDefinition},
    {.name = "BillingMode"},
    {.name = "ContributorInsightsSpecification",
     .kind = Kind::object,
     .members = kTableContributorInsightsSpecification},
    {.name = "DeletionProtectionEnabled", .kind = Kind::boolean},
    {.name = "GlobalSecondaryIndexes", .kind = Kind::object, .form = Form::list, .members = kTableGlobalSecondaryIndex},
    {.name = "ImportSourceSpecification",
     .kind = Kind::object,
     .update = Update::replaces,
     .members = kTableImportSourceSpecification},
    {.name = "KeySchema",
     .kind = Kind::object,
     .form = Form::list,
     .required = true,
     .update = Update::replaces,
     .members = kTableKeySchema},
    {.name = "KinesisStreamSpecification", .kind = Kind::object, .members = kTableKinesisStreamSpecification},
    {.name = "LocalSecondaryIndexes",
     .kind = Kind::object,
     .form = Form::list,
     .update = Update::perhaps,
     .members = kTableLocalSecondaryIndex},
    {.name = "OnDemandThroughput", .kind = Kind::object, .members = kTableOnDemandThroughput},
    {.name = "PointInTimeRecoverySpecification",
     .kind = Kind::object,
     .members = kTablePointInTimeRecoverySpecification},
    {.name = "ProvisionedThroughput", .kind = Kind::object, .members = kTableProvisionedThroughput},
    {.name = "ResourcePolicy", .kind = Kind::object, .members = kTableResourcePolicy},
    {.name = "SSESpecification", .kind = Kind::object, .members = kTableSSESpecification},
    {.name = "StreamSpecification", .kind = Kind::object, .members = kTableStreamSpecification},
    {.name = "TableClass"},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
    {.name = "TimeToLiveSpecification", .kind = Kind::object, .members = kTableTimeToLiveSpecification},
    {.name = "VectorIndexes", .kind = Kind::json},
    {.name = "WarmThroughput", .kind = Kind::object, .members = kTableWarmThroughput},
};

// The request that makes it: all that CreateTable takes.
json::Object new_table(const Step& step, const std::string& name, const json::Object& properties) {
  json::Object request = table_description(properties);
  copy_member(request, properties, "KeySchema");
  copy_member(request, properties, "LocalSecondaryIndexes");
  copy_member(request, properties, "VectorIndexes");
  request.set("TableName", name);
  request.set("Tags", tag_list(step, properties));
  if (const json::Object policy = object_of(properties, "ResourcePolicy"); !policy.empty()) {
    request.set("ResourcePolicy", json_text(answered(policy, "PolicyDocument")));
  }
  return request;
}

Task<void> import_table(Step& step, const json::Object& properties, json::Object table) {
  json::Object parameters =
      take(table, {"TableName", "AttributeDefinitions", "KeySchema", "BillingMode", "ProvisionedThroughput",
                   "OnDemandThroughput", "SSESpecification", "GlobalSecondaryIndexes"});
  json::Object request = object_of(properties, "ImportSourceSpecification");
  request.set("TableCreationParameters", std::move(parameters));
  request.set("ClientToken", step.client_token());
  const json::Value started = co_await step.call("dynamodb", "ImportTable", std::move(request));
  co_await await_import(step, answered_text(answered(started, "ImportTableDescription"), "ImportArn"));
}

Task<std::string> create_table(Step& step, const json::Object& properties) {
  std::string name = text_of(properties, "TableName");
  if (name.empty()) {
    name = step.physical_name(kTableNameSizeMax);
  } else {
    co_await claim(step, name,
                   {"dynamodb", "DescribeTable", json::Object{{"TableName", name}}, {"ResourceNotFoundException"}});
  }
  json::Object request = new_table(step, name, properties);
  if (properties.find("ImportSourceSpecification")) {
    co_await import_table(step, properties, std::move(request));
  } else {
    co_await step.call_or_null("dynamodb", "CreateTable", std::move(request), {"ResourceInUseException"});
  }
  co_await step.made(name);
  co_await await_table(step, name);
  co_await change_table_features(step, name, {}, properties);
  co_return name;
}

Task<std::string> update_table(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  co_await change_table(step, name, before, after);
  co_await change_table_features(step, name, before, after);
  co_await change_table_policy(step, step.arn("dynamodb", "table/" + name), object_of(before, "ResourcePolicy"),
                               object_of(after, "ResourcePolicy"));
  co_await change_table_tags(step, name, before, after);
  co_return name;
}

// A local index can neither be added to a table nor be taken from it.
bool table_is_replaced(const json::Object& before, const json::Object& after) {
  return !same_member(before, after, "LocalSecondaryIndexes") || attribute_is_edited(before, after);
}

}  // namespace

const ResourceType types::kDynamoDbTable = {
    .name = "AWS::DynamoDB::Table",
    .properties = kTableProperties,
    .create = create_table,
    .update = update_table,
    .remove = remove_table,
    .attributes = describe_table,
    .read = read_table,
    .list = list_tables,
    .replaces = table_is_replaced,
    .name_property = "TableName",
};

}  // namespace tidemill::cloudformation
