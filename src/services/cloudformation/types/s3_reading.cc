#include "services/cloudformation/types/s3_reading.h"

#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/reading.h"

namespace tidemill::cloudformation {

namespace {

// ---- From S3's words into those of the properties ----

// {property: list} of what `one` makes of each element; empty if there are none.
json::Object listed_under(std::string_view property, const json::Object& from, std::string_view member,
                          json::Object (*one)(const json::Object&)) {
  json::Array result;
  for (const json::Value& element : list_of(from, member)) result.push_back(one(element.object()));
  if (result.empty()) return {};
  return json::Object{{std::string(property), std::move(result)}};
}

json::Object ownership_of(const json::Object& answer) { return object_of(answer, "OwnershipControls"); }
json::Object public_access_of(const json::Object& answer) { return object_of(answer, "PublicAccessBlockConfiguration"); }
json::Object versioning_of(const json::Object& answer) { return take(answer, {"Status"}); }
json::Object lock_of(const json::Object& answer) { return object_of(answer, "ObjectLockConfiguration"); }

json::Object encryption_rule(const json::Object& rule) {
  return take(rule, {{"ApplyServerSideEncryptionByDefault", "ServerSideEncryptionByDefault"}, "BucketKeyEnabled"});
}
json::Object bucket_encryption_of(const json::Object& answer) {
  return listed_under("ServerSideEncryptionConfiguration", object_of(answer, "ServerSideEncryptionConfiguration"), "Rules",
                      encryption_rule);
}

json::Object cors_rule(const json::Object& rule) {
  return take(rule, {{"ID", "Id"},
                     "AllowedHeaders",
                     "AllowedMethods",
                     "AllowedOrigins",
                     {"ExposeHeaders", "ExposedHeaders"},
                     {"MaxAgeSeconds", "MaxAge"}});
}
json::Object cors_of(const json::Object& answer) { return listed_under("CorsRules", answer, "CORSRules", cors_rule); }

json::Object routing_rule(const json::Object& rule) {
  return take(rule, {{"Condition", "RoutingRuleCondition"}, {"Redirect", "RedirectRule"}});
}
json::Object website_of(const json::Object& answer) {
  json::Object result = listed_under("RoutingRules", answer, "RoutingRules", routing_rule);
  copy_member(result, answer, "RedirectAllRequestsTo");
  copy_member(result, object_of(answer, "IndexDocument"), "Suffix", "IndexDocument");
  copy_member(result, object_of(answer, "ErrorDocument"), "Key", "ErrorDocument");
  return result;
}

// Conditions of a filter, whether one stands alone or several below And.
void set_conditions(json::Object& result, const json::Object& filter) {
  const json::Object several = object_of(filter, "And");
  const json::Object& conditions = several.empty() ? filter : several;
  for (const std::string_view name : {"Prefix", "ObjectSizeGreaterThan", "ObjectSizeLessThan", "AccessPointArn"}) {
    const json::Value* value = conditions.find(name);
    const bool is_all = value && value->is_string() && value->string().empty();
    if (value && !is_all) result.set(std::string(name), *value);
  }
  json::Array tags = list_of(several, "Tags");
  if (const json::Value* tag = filter.find("Tag"); tag && tag->is_object()) tags.push_back(*tag);
  if (!tags.empty()) result.set("TagFilters", std::move(tags));
}

json::Object lifecycle_rule_of(const json::Object& rule) {
  json::Object result =
      take(rule, {{"ID", "Id"}, "Status", "AbortIncompleteMultipartUpload", "NoncurrentVersionExpiration", "Prefix"});
  set_conditions(result, object_of(rule, "Filter"));
  const json::Object expiration = object_of(rule, "Expiration");
  copy_member(result, expiration, "Date", "ExpirationDate");
  copy_member(result, expiration, "Days", "ExpirationInDays");
  copy_member(result, expiration, "ExpiredObjectDeleteMarker");
  return result;
}
json::Object lifecycle_of(const json::Object& answer) {
  return listed_under("Rules", answer, "Rules", lifecycle_rule_of);
}

json::Object logging_of(const json::Object& answer) {
  return take(object_of(answer, "LoggingEnabled"), {{"TargetBucket", "DestinationBucketName"},
                                                    {"TargetPrefix", "LogFilePrefix"},
                                                    "TargetObjectKeyFormat"});
}

// A template has one event in each.
void set_notifications(json::Object& result, const json::Object& answer, std::string_view from, std::string_view arn,
                       std::string_view property, std::string_view target) {
  json::Array all;
  for (const json::Value& one : list_of(answer, from)) {
    for (const json::Value& event : list_of(one.object(), "Events")) {
      json::Object notification{{"Event", event}};
      copy_member(notification, one.object(), arn, target);
      const json::Array rules = list_of(object_of(object_of(one.object(), "Filter"), "Key"), "FilterRules");
      if (!rules.empty()) notification.set("Filter", json::Object{{"S3Key", json::Object{{"Rules", rules}}}});
      all.push_back(std::move(notification));
    }
  }
  if (!all.empty()) result.set(std::string(property), std::move(all));
}
json::Object notifications_of(const json::Object& answer) {
  json::Object result;
  set_notifications(result, answer, "LambdaFunctionConfigurations", "LambdaFunctionArn", "LambdaConfigurations", "Function");
  set_notifications(result, answer, "QueueConfigurations", "QueueArn", "QueueConfigurations", "Queue");
  set_notifications(result, answer, "TopicConfigurations", "TopicArn", "TopicConfigurations", "Topic");
  const json::Value* bridge = answer.find("EventBridgeConfiguration");
  if (bridge && bridge->is_object()) {
    result.set("EventBridgeConfiguration", json::Object{{"EventBridgeEnabled", true}});
  }
  return result;
}

// ---- What tells which property ----

struct BucketReading {
  std::string_view property;
  std::string_view operation;
  json::Object (*property_of)(const json::Object& answer);
  std::string_view otherwise = "";  // the error where there is none; empty: an empty answer
};

constexpr BucketReading kBucketReadings[] = {
    {"OwnershipControls", "GetBucketOwnershipControls", ownership_of, "OwnershipControlsNotFoundError"},
    {"PublicAccessBlockConfiguration", "GetPublicAccessBlock", public_access_of, "NoSuchPublicAccessBlockConfiguration"},
    {"BucketEncryption", "GetBucketEncryption", bucket_encryption_of, "ServerSideEncryptionConfigurationNotFoundError"},
    {"VersioningConfiguration", "GetBucketVersioning", versioning_of},
    {"ObjectLockConfiguration", "GetObjectLockConfiguration", lock_of, "ObjectLockConfigurationNotFoundError"},
    {"WebsiteConfiguration", "GetBucketWebsite", website_of, "NoSuchWebsiteConfiguration"},
    {"LifecycleConfiguration", "GetBucketLifecycleConfiguration", lifecycle_of, "NoSuchLifecycleConfiguration"},
    {"CorsConfiguration", "GetBucketCors", cors_of, "NoSuchCORSConfiguration"},
    {"LoggingConfiguration", "GetBucketLogging", logging_of},
    {"NotificationConfiguration", "GetBucketNotificationConfiguration", notifications_of},
};

json::Object metrics_of(const json::Object& configuration) {
  json::Object result = take(configuration, {"Id"});
  set_conditions(result, object_of(configuration, "Filter"));
  return result;
}

json::Object inventory_of(const json::Object& configuration) {
  json::Object result = take(configuration, {"Id", {"IsEnabled", "Enabled"}, "IncludedObjectVersions", "OptionalFields"});
  copy_member(result, object_of(configuration, "Filter"), "Prefix");
  copy_member(result, object_of(configuration, "Schedule"), "Frequency", "ScheduleFrequency");
  result.set("Destination", take(object_of(object_of(configuration, "Destination"), "S3BucketDestination"),
                                 {{"AccountId", "BucketAccountId"}, {"Bucket", "BucketArn"}, "Format", "Prefix"}));
  return result;
}

Task<void> read_listed(Step& step, std::string bucket, std::string operation, std::string list, std::string property,
                       json::Object (*one)(const json::Object&), json::Object& result) {
  json::Array all;
  const json::Array found = co_await all_pages(step, "s3", std::move(operation), std::move(list),
                                               json::Object{{"Bucket", bucket}},
                                               {"NextContinuationToken", "ContinuationToken"});
  for (const json::Value& configuration : found) all.push_back(one(configuration.object()));
  if (!all.empty()) result.set(property, std::move(all));
}

}  // namespace

Task<json::Object> read_bucket(Step& step, std::string name) {
  const json::Object key{{"Bucket", name}};
  (void)co_await step.call("s3", "HeadBucket", key);
  json::Object result{{"BucketName", name}};
  for (const BucketReading& one : kBucketReadings) {
    std::vector<std::string_view> codes;
    if (!one.otherwise.empty()) codes.push_back(one.otherwise);
    const json::Value answer = co_await step.call_or_null("s3", std::string(one.operation), key, std::move(codes));
    if (!answer.is_object()) continue;
    json::Object property = one.property_of(answer.object());
    if (!property.empty()) result.set(std::string(one.property), std::move(property));
  }
  if (result.find("ObjectLockConfiguration")) result.set("ObjectLockEnabled", true);
  co_await read_listed(step, name, "ListBucketMetricsConfigurations", "MetricsConfigurationList", "MetricsConfigurations",
                       metrics_of, result);
  co_await read_listed(step, name, "ListBucketInventoryConfigurations", "InventoryConfigurationList",
                       "InventoryConfigurations", inventory_of, result);
  const json::Value tags = co_await step.call_or_null("s3", "GetBucketTagging", key, {"NoSuchTagSet"});
  set_tags(result, tags.find("TagSet"));
  co_return result;
}

Task<std::vector<std::string>> list_buckets(Step& step) {
  return list_all(step, "s3", "ListBuckets", "Buckets", "Name", {}, {"ContinuationToken", "ContinuationToken"});
}

}  // namespace tidemill::cloudformation
