// AWS::S3::Bucket. Each of its configurations is an operation of its own (s3_configurations.h).
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/s3_configurations.h"
#include "services/cloudformation/types/s3_reading.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kBucketNameSizeMax = 63;
constexpr std::string_view kFirstRegion = "us-east-1";  // it has no location constraint

constexpr std::string_view kNoReplication = "there is no replication";
constexpr std::string_view kNoMetadataTables = "there are no metadata tables";
constexpr std::string_view kOneStorageClass = "there is one storage class";
constexpr std::string_view kNoNamespaces = "bucket names have one namespace";

constexpr Property kBucketBlockedEncryptionTypes[] = {
    {.name = "EncryptionType", .form = Form::list},
};

constexpr Property kBucketServerSideEncryptionByDefault[] = {
    {.name = "KMSMasterKeyID"},
    {.name = "SSEAlgorithm", .required = true},
};

constexpr Property kBucketServerSideEncryptionRule[] = {
    {.name = "BlockedEncryptionTypes", .kind = Kind::object, .members = kBucketBlockedEncryptionTypes},
    {.name = "BucketKeyEnabled", .kind = Kind::boolean},
    {.name = "ServerSideEncryptionByDefault", .kind = Kind::object, .members = kBucketServerSideEncryptionByDefault},
};

constexpr Property kBucketBucketEncryption[] = {
    {.name = "ServerSideEncryptionConfiguration",
     .kind = Kind::object,
     .form = Form::list,
     .required = true,
     .members = kBucketServerSideEncryptionRule},
};

constexpr Property kBucketCorsRule[] = {
    {.name = "AllowedHeaders", .form = Form::list},
    {.name = "AllowedMethods", .form = Form::list, .required = true},
    {.name = "AllowedOrigins", .form = Form::list, .required = true},
    {.name = "ExposedHeaders", .form = Form::list},
    {.name = "Id"},
    {.name = "MaxAge", .kind = Kind::integer},
};

constexpr Property kBucketCorsConfiguration[] = {
    {.name = "CorsRules", .kind = Kind::object, .form = Form::list, .required = true, .members = kBucketCorsRule},
};

constexpr Property kBucketAbortIncompleteMultipartUpload[] = {
    {.name = "DaysAfterInitiation", .kind = Kind::integer, .required = true},
};

constexpr Property kBucketNoncurrentVersionExpiration[] = {
    {.name = "NewerNoncurrentVersions", .kind = Kind::integer},
    {.name = "NoncurrentDays", .kind = Kind::integer, .required = true},
};

constexpr Property kBucketTagFilter[] = {
    {.name = "Key", .required = true},
    {.name = "Value", .required = true},
};

constexpr Property kBucketRule[] = {
    {.name = "AbortIncompleteMultipartUpload", .kind = Kind::object, .members = kBucketAbortIncompleteMultipartUpload},
    {.name = "ExpirationDate"},
    {.name = "ExpirationInDays", .kind = Kind::integer},
    {.name = "ExpiredObjectDeleteMarker", .kind = Kind::boolean},
    {.name = "Id"},
    {.name = "NoncurrentVersionExpiration", .kind = Kind::object, .members = kBucketNoncurrentVersionExpiration},
    {.name = "NoncurrentVersionExpirationInDays", .kind = Kind::integer},
    {.name = "NoncurrentVersionTransition", .kind = Kind::json},
    {.name = "NoncurrentVersionTransitions", .kind = Kind::json},
    {.name = "ObjectSizeGreaterThan", .kind = Kind::integer},
    {.name = "ObjectSizeLessThan", .kind = Kind::integer},
    {.name = "Prefix"},
    {.name = "Status", .required = true},
    {.name = "TagFilters", .kind = Kind::object, .form = Form::list, .members = kBucketTagFilter},
    {.name = "Transition", .kind = Kind::json},
    {.name = "Transitions", .kind = Kind::json},
};

constexpr Property kBucketLifecycleConfiguration[] = {
    {.name = "Rules", .kind = Kind::object, .form = Form::list, .required = true, .members = kBucketRule},
    {.name = "TransitionDefaultMinimumObjectSize", .refused = kOneStorageClass},
};

constexpr Property kBucketInventoryDestination[] = {
    {.name = "BucketAccountId"},
    {.name = "BucketArn", .required = true},
    {.name = "Format", .required = true},
    {.name = "Prefix"},
};

constexpr Property kBucketInventoryConfiguration[] = {
    {.name = "Destination", .kind = Kind::object, .required = true, .members = kBucketInventoryDestination},
    {.name = "Enabled", .kind = Kind::boolean, .required = true},
    {.name = "Id", .required = true},
    {.name = "IncludedObjectVersions", .required = true},
    {.name = "OptionalFields", .form = Form::list},
    {.name = "Prefix"},
    {.name = "ScheduleFrequency", .required = true},
};

constexpr Property kBucketPartitionedPrefix[] = {
    {.name = "PartitionDateSource"},
};

constexpr Property kBucketTargetObjectKeyFormat[] = {
    {.name = "PartitionedPrefix", .kind = Kind::object, .members = kBucketPartitionedPrefix},
    {.name = "SimplePrefix", .kind = Kind::json},
};

constexpr Property kBucketLoggingConfiguration[] = {
    {.name = "DestinationBucketName"},
    {.name = "LogFilePrefix"},
    {.name = "TargetObjectKeyFormat", .kind = Kind::object, .members = kBucketTargetObjectKeyFormat},
};

constexpr Property kBucketMetricsConfiguration[] = {
    {.name = "AccessPointArn"},
    {.name = "Id", .required = true},
    {.name = "Prefix"},
    {.name = "TagFilters", .kind = Kind::object, .form = Form::list, .members = kBucketTagFilter},
};

constexpr Property kBucketEventBridgeConfiguration[] = {
    {.name = "EventBridgeEnabled", .kind = Kind::boolean, .required = true},
};

constexpr Property kBucketFilterRule[] = {
    {.name = "Name", .required = true},
    {.name = "Value", .required = true},
};

constexpr Property kBucketS3KeyFilter[] = {
    {.name = "Rules", .kind = Kind::object, .form = Form::list, .required = true, .members = kBucketFilterRule},
};

constexpr Property kBucketNotificationFilter[] = {
    {.name = "S3Key", .kind = Kind::object, .required = true, .members = kBucketS3KeyFilter},
};

constexpr Property kBucketLambdaConfiguration[] = {
    {.name = "Event", .required = true},
    {.name = "Filter", .kind = Kind::object, .members = kBucketNotificationFilter},
    {.name = "Function", .required = true},
};

constexpr Property kBucketQueueConfiguration[] = {
    {.name = "Event", .required = true},
    {.name = "Filter", .kind = Kind::object, .members = kBucketNotificationFilter},
    {.name = "Queue", .required = true},
};

constexpr Property kBucketTopicConfiguration[] = {
    {.name = "Event", .required = true},
    {.name = "Filter", .kind = Kind::object, .members = kBucketNotificationFilter},
    {.name = "Topic", .required = true},
};

constexpr Property kBucketNotificationConfiguration[] = {
    {.name = "EventBridgeConfiguration", .kind = Kind::object, .members = kBucketEventBridgeConfiguration},
    {.name = "LambdaConfigurations", .kind = Kind::object, .form = Form::list, .members = kBucketLambdaConfiguration},
    {.name = "QueueConfigurations", .kind = Kind::object, .form = Form::list, .members = kBucketQueueConfiguration},
    {.name = "TopicConfigurations", .kind = Kind::object, .form = Form::list, .members = kBucketTopicConfiguration},
};

constexpr Property kBucketOwnershipControlsRule[] = {
    {.name = "ObjectOwnership"},
};

constexpr Property kBucketOwnershipControls[] = {
    {.name = "Rules",
     .kind = Kind::object,
     .form = Form::list,
     .required = true,
     .members = kBucketOwnershipControlsRule},
};

constexpr Property kBucketPublicAccessBlockConfiguration[] = {
    {.name = "BlockPublicAcls", .kind = Kind::boolean},
    {.name = "BlockPublicPolicy", .kind = Kind::boolean},
    {.name = "IgnorePublicAcls", .kind = Kind::boolean},
    {.name = "RestrictPublicBuckets", .kind = Kind::boolean},
};

constexpr Property kBucketVersioningConfiguration[] = {
    {.name = "Status", .required = true},
};

constexpr Property kBucketDefaultRetention[] = {
    {.name = "Days", .kind = Kind::integer},
    {.name = "Mode"},
    {.name = "Years", .kind = Kind::integer},
};

constexpr Property kBucketObjectLockRule[] = {
    {.name = "DefaultRetention", .kind = Kind::object, .members = kBucketDefaultRetention},
};

constexpr Property kBucketObjectLockConfiguration[] = {
    {.name = "ObjectLockEnabled"},
    {.name = "Rule", .kind = Kind::object, .members = kBucketObjectLockRule},
};

constexpr Property kBucketRedirectAllRequestsTo[] = {
    {.name = "HostName", .required = true},
    {.name = "Protocol"},
};

constexpr Property kBucketRedirectRule[] = {
    {.name = "HostName"},       {.name = "HttpRedirectCode"}, {.name = "Protocol"}, {.name = "ReplaceKeyPrefixWith"},
    {.name = "ReplaceKeyWith"},
};

constexpr Property kBucketRoutingRuleCondition[] = {
    {.name = "HttpErrorCodeReturnedEquals"},
    {.name = "KeyPrefixEquals"},
};

constexpr Property kBucketRoutingRule[] = {
    {.name = "RedirectRule", .kind = Kind::object, .required = true, .members = kBucketRedirectRule},
    {.name = "RoutingRuleCondition", .kind = Kind::object, .members = kBucketRoutingRuleCondition},
};

constexpr Property kBucketWebsiteConfiguration[] = {
    {.name = "ErrorDocument"},
    {.name = "IndexDocument"},
    {.name = "RedirectAllRequestsTo", .kind = Kind::object, .members = kBucketRedirectAllRequestsTo},
    {.name = "RoutingRules", .kind = Kind::object, .form = Form::list, .members = kBucketRoutingRule},
};

constexpr Property kBucketProperties[] = {
    {.name = "BucketName", .update = Update::replaces},
    {.name = "AbacStatus", .refused = "tags do not control access"},
    {.name = "AccelerateConfiguration", .kind = Kind::json, .refused = "there is no transfer acceleration"},
    {.name = "AccessControl", .write_only = true},
    {.name = "AnalyticsConfigurations", .kind = Kind::json, .refused = "there is no storage class analysis"},
    {.name = "BucketEncryption", .kind = Kind::object, .members = kBucketBucketEncryption},
    {.name = "BucketNamePrefix", .update = Update::replaces, .refused = kNoNamespaces},
    {.name = "BucketNamespace", .update = Update::replaces, .refused = kNoNamespaces},
    {.name = "CorsConfiguration", .kind = Kind::object, .members = kBucketCorsConfiguration},
    {.name = "IntelligentTieringConfigurations", .kind = Kind::json, .refused = kOneStorageClass},
    {.name = "InventoryConfigurations", .kind = Kind::object, .form = Form::list, .members = kBucketInventoryConfiguration},
    {.name = "LifecycleConfiguration", .kind = Kind::object, .members = kBucketLifecycleConfiguration},
    {.name = "LoggingConfiguration", .kind = Kind::object, .members = kBucketLoggingConfiguration},
    {.name = "MetadataConfiguration", .kind = Kind::json, .refused = kNoMetadataTables},
    {.name = "MetadataTableConfiguration", .kind = Kind::json, .refused = kNoMetadataTables},
    {.name = "MetricsConfigurations", .kind = Kind::object, .form = Form::list, .members = kBucketMetricsConfiguration},
    {.name = "NotificationConfiguration", .kind = Kind::object, .members = kBucketNotificationConfiguration},
    {.name = "ObjectLockConfiguration", .kind = Kind::object, .members = kBucketObjectLockConfiguration},
    {.name = "ObjectLockEnabled", .kind = Kind::boolean, .update = Update::replaces},
    {.name = "OwnershipControls", .kind = Kind::object, .members = kBucketOwnershipControls},
    {.name = "PublicAccessBlockConfiguration", .kind = Kind::object, .members = kBucketPublicAccessBlockConfiguration},
    {.name = "ReplicationConfiguration", .kind = Kind::json, .refused = kNoReplication},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
    {.name = "VersioningConfiguration", .kind = Kind::object, .members = kBucketVersioningConfiguration},
    {.name = "WebsiteConfiguration", .kind = Kind::object, .members = kBucketWebsiteConfiguration},
};

Task<std::string> create_bucket(Step& step, const json::Object& properties) {
  std::string name = text_of(properties, "BucketName");
  if (name.empty()) {
    name = step.physical_name(kBucketNameSizeMax, NameLetters::lower);
  } else {
    co_await claim(step, name, {"s3", "HeadBucket", json::Object{{"Bucket", name}}, {"NoSuchBucket", "NotFound"}});
  }
  json::Object request{{"Bucket", name}};
  if (is_true(properties, "ObjectLockEnabled")) request.set("ObjectLockEnabledForBucket", "true");
  if (step.region() != kFirstRegion) {
    request.set("CreateBucketConfiguration", json::Object{{"LocationConstraint", step.region()}});
  }
  co_await step.call_or_null("s3", "CreateBucket", std::move(request), {"BucketAlreadyOwnedByYou"});
  co_await step.made(name);
  co_await change_bucket_configurations(step, name, {}, properties);
  co_return name;
}

Task<std::string> update_bucket(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  co_await note_bucket_configurations(step, name, before, after);
  co_await change_bucket_configurations(step, name, before, after);
  co_return name;
}

Task<void> remove_bucket(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("s3", "DeleteBucket", json::Object{{"Bucket", name}}, {"NoSuchBucket"});
}

Task<json::Object> describe_bucket(Step& step, std::string name, const json::Object&) {
  co_return json::Object{
      {"Arn", cat("arn:", step.partition(), ":s3:::", name)},
      {"DomainName", cat(name, ".s3.amazonaws.com")},
      {"RegionalDomainName", cat(name, ".s3.", step.region(), ".amazonaws.com")},
      {"DualStackDomainName", cat(name, ".s3.dualstack.", step.region(), ".amazonaws.com")},
      {"WebsiteURL", cat("http://", name, ".s3-website-", step.region(), ".amazonaws.com")},
  };
}

}  // namespace

const ResourceType types::kS3Bucket = {
    .name = "AWS::S3::Bucket",
    .properties = kBucketProperties,
    .create = create_bucket,
    .update = update_bucket,
    .remove = remove_bucket,
    .attributes = describe_bucket,
    .read = read_bucket,
    .list = list_buckets,
    .name_property = "BucketName",
};

}  // namespace tidemill::cloudformation
