#include "services/cloudformation/types/s3_configurations.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/tagging.h"
#include "wire/error.h"

namespace tidemill::cloudformation {

namespace {

using base::cat;

// ---- What each is in S3's words ----

json::Object versioning_document(const json::Object& configuration) { return take(configuration, {"Status"}); }

json::Object cors_document(const json::Object& configuration) {
  json::Array rules;
  for (const json::Value& rule : list_of(configuration, "CorsRules")) {
    rules.push_back(take(rule.object(), {{"Id", "ID"},
                                         "AllowedHeaders",
                                         "AllowedMethods",
                                         "AllowedOrigins",
                                         {"ExposedHeaders", "ExposeHeaders"},
                                         {"MaxAge", "MaxAgeSeconds"}}));
  }
  return json::Object{{"CORSRules", std::move(rules)}};
}

json::Object encryption_document(const json::Object& configuration) {
  json::Array rules;
  for (const json::Value& rule : list_of(configuration, "ServerSideEncryptionConfiguration")) {
    rules.push_back(take(rule.object(), {{"ServerSideEncryptionByDefault", "ApplyServerSideEncryptionByDefault"},
                                         "BucketKeyEnabled",
                                         "BlockedEncryptionTypes"}));
  }
  return json::Object{{"Rules", std::move(rules)}};
}

// Documents have their keys in objects, and rules other names.
json::Object website_document(const json::Object& configuration) {
  json::Object website = take(configuration, {"RedirectAllRequestsTo"});
  if (configuration.find("IndexDocument")) {
    website.set("IndexDocument", json::Object{{"Suffix", text_of(configuration, "IndexDocument")}});
  }
  if (configuration.find("ErrorDocument")) {
    website.set("ErrorDocument", json::Object{{"Key", text_of(configuration, "ErrorDocument")}});
  }
  json::Array rules;
  for (const json::Value& rule : list_of(configuration, "RoutingRules")) {
    rules.push_back(take(rule.object(), {{"RoutingRuleCondition", "Condition"}, {"RedirectRule", "Redirect"}}));
  }
  if (!rules.empty()) website.set("RoutingRules", std::move(rules));
  return website;
}

json::Object unchanged_document(const json::Object& configuration) { return configuration; }

// A property, the operation that sets it with its member, and the one that takes it away; without one, the document
// that stands for nothing.
struct Configuration {
  std::string_view property;
  std::string_view put;
  std::string_view member;
  json::Object (*document)(const json::Object&);
  std::string_view remove;
};

// In the order in which they are set: whether there are access control lists is decided first, unless the bucket's own
// must be private before (change_bucket_configurations).
constexpr Configuration kConfigurations[] = {
    {"OwnershipControls", "PutBucketOwnershipControls", "OwnershipControls", unchanged_document,
     "DeleteBucketOwnershipControls"},
    {"PublicAccessBlockConfiguration", "PutPublicAccessBlock", "PublicAccessBlockConfiguration", unchanged_document,
     "DeletePublicAccessBlock"},
    {"BucketEncryption", "PutBucketEncryption", "ServerSideEncryptionConfiguration", encryption_document,
     "DeleteBucketEncryption"},
    {"VersioningConfiguration", "PutBucketVersioning", "VersioningConfiguration", versioning_document, ""},
    {"ObjectLockConfiguration", "PutObjectLockConfiguration", "ObjectLockConfiguration", unchanged_document, ""},
    {"WebsiteConfiguration", "PutBucketWebsite", "WebsiteConfiguration", website_document, "DeleteBucketWebsite"},
    {"LifecycleConfiguration", "PutBucketLifecycleConfiguration", "LifecycleConfiguration", lifecycle_rules,
     "DeleteBucketLifecycle"},
    {"CorsConfiguration", "PutBucketCors", "CORSConfiguration", cors_document, "DeleteBucketCors"},
    {"NotificationConfiguration", "PutBucketNotificationConfiguration", "NotificationConfiguration",
     bucket_notifications, ""},
};

// Configurations that a bucket has though its template says nothing of them, and that a template may have deleted.
struct OwnConfiguration {
  std::string_view property;
  std::string_view get;
  std::string_view none;  // what it answers with where there is none
};
constexpr OwnConfiguration kOwnConfigurations[] = {
    {"OwnershipControls", "GetBucketOwnershipControls", "OwnershipControlsNotFoundError"},
    {"PublicAccessBlockConfiguration", "GetPublicAccessBlock", "NoSuchPublicAccessBlockConfiguration"},
};

// What a new bucket has of it. Empty: nothing, or the template's access control list could not stand beside it: the
// bucket was without.
json::Object usual_document(std::string_view property, const json::Object& properties) {
  const std::string list = text_or(properties, "AccessControl", "Private");
  if (property == "OwnershipControls" && list == "Private") {
    return json::Object{{"Rules", json::Array{json::Object{{"ObjectOwnership", "BucketOwnerEnforced"}}}}};
  }
  const bool is_public = list == "PublicRead" || list == "PublicReadWrite" || list == "AuthenticatedRead";
  if (property == "PublicAccessBlockConfiguration" && !is_public) {
    return json::Object{{"BlockPublicAcls", true},
                        {"IgnorePublicAcls", true},
                        {"BlockPublicPolicy", true},
                        {"RestrictPublicBuckets", true}};
  }
  return {};
}

// What stood of a configuration before the first update that is taken back. Nothing: it was not looked at.
std::optional<json::Object> noted_document(const Step& step, std::string_view property) {
  const json::Value noted = step.noted();
  const json::Value* document = noted.find(property);
  if (!document) return std::nullopt;
  return document->object();
}

// A configuration that the template does not have.
Task<void> leave_configuration(Step& step, std::string bucket, const Configuration& which, const json::Object& after) {
  json::Object request{{"Bucket", bucket}}, document;
  if (step.scope().brings_back) {
    auto noted = noted_document(step, which.property);
    document = noted ? *std::move(noted) : usual_document(which.property, after);
  }
  if (document.empty()) {
    co_await step.call("s3", std::string(which.remove), std::move(request));
    co_return;
  }
  request.set(std::string(which.member), std::move(document));
  // Somebody else has given it lists: they stay, with what lets them.
  co_await step.call_or_null("s3", std::string(which.put), std::move(request), {"InvalidBucketAclWithObjectOwnership"});
}

Task<void> change_configuration(Step& step, std::string bucket, const Configuration& which, const json::Object& before,
                                const json::Object& after) {
  // An update that gave it up again has left what the template says, and not what stood before.
  const bool is_left = !after.find(which.property) && step.scope().brings_back && noted_document(step, which.property);
  if (!is_left && same_member(before, after, which.property)) co_return;
  if (is_left || (!after.find(which.property) && !which.remove.empty())) {
    co_return co_await leave_configuration(step, bucket, which, after);
  }
  json::Object request{{"Bucket", bucket}};
  json::Object document = which.document(object_of(after, which.property));
  if (which.property == "VersioningConfiguration" && document.empty()) document.set("Status", "Suspended");
  if (which.property == "ObjectLockConfiguration") document.set("ObjectLockEnabled", "Enabled");  // it cannot be undone
  request.set(std::string(which.member), std::move(document));
  co_await step.call("s3", std::string(which.put), std::move(request));
}

// ---- Access control lists by their names ----

constexpr std::pair<std::string_view, std::string_view> kCannedLists[] = {
    {"Private", "private"},
    {"PublicRead", "public-read"},
    {"PublicReadWrite", "public-read-write"},
    {"AuthenticatedRead", "authenticated-read"},
    {"LogDeliveryWrite", "log-delivery-write"},
    {"BucketOwnerRead", "bucket-owner-read"},
    {"BucketOwnerFullControl", "bucket-owner-full-control"},
    {"AwsExecRead", "aws-exec-read"},
};

// Whether the list goes back to what every bucket has, which must be before a change that takes all lists away.
bool becomes_private(const json::Object& before, const json::Object& after) {
  return text_or(after, "AccessControl", "Private") == "Private" && text_or(before, "AccessControl", "Private") != "Private";
}

Task<void> change_access_control(Step& step, std::string bucket, const json::Object& before,
                                 const json::Object& after) {
  if (same_member(before, after, "AccessControl")) co_return;
  const std::string name = text_or(after, "AccessControl", "Private");
  // As every bucket is; asking for it is refused where there are no ACLs.
  if (name == "Private" && text_or(before, "AccessControl", "Private") == name) co_return;
  const auto found = std::ranges::find(kCannedLists, name, &std::pair<std::string_view, std::string_view>::first);
  if (found == std::end(kCannedLists)) throw InvalidRequest(cat("AccessControl: ", name, " is not a canned ACL"));
  // Of a bucket without lists none is to be taken back: an update may have failed before it allowed them.
  std::vector<std::string_view> passed_over;
  if (name == "Private") passed_over.push_back("AccessControlListNotSupported");
  co_await step.call_or_null("s3", "PutBucketAcl",
                             json::Object{{"Bucket", bucket}, {"ACL", std::string(found->second)}},
                             std::move(passed_over));
}

// ---- Access logs ----

Task<void> change_access_logs(Step& step, std::string bucket, const json::Object& before, const json::Object& after) {
  if (same_member(before, after, "LoggingConfiguration")) co_return;
  json::Object status;
  if (after.find("LoggingConfiguration")) {
    const json::Object configuration = object_of(after, "LoggingConfiguration");
    json::Object enabled = take(configuration, {"TargetObjectKeyFormat"});
    enabled.set("TargetBucket", text_or(configuration, "DestinationBucketName", bucket));
    enabled.set("TargetPrefix", text_of(configuration, "LogFilePrefix"));
    status.set("LoggingEnabled", std::move(enabled));
  }
  co_await step.call("s3", "PutBucketLogging",
                     json::Object{{"Bucket", bucket}, {"BucketLoggingStatus", std::move(status)}});
}

// ---- Metrics and inventories, each under an id of its own ----

json::Object metrics_document(const json::Object& configuration) {
  json::Object result = take(configuration, {"Id"});
  const json::Array tags = list_of(configuration, "TagFilters");
  json::Object filter = take(configuration, {"Prefix", "AccessPointArn"});
  if (filter.size() + tags.size() > 1) {
    if (!tags.empty()) filter.set("Tags", tags);
    result.set("Filter", json::Object{{"And", std::move(filter)}});
  } else if (!tags.empty()) {
    result.set("Filter", json::Object{{"Tag", tags.front()}});
  } else if (!filter.empty()) {
    result.set("Filter", std::move(filter));
  }
  return result;
}

json::Object inventory_document(const json::Object& configuration) {
  json::Object result = take(configuration, {"Id", {"Enabled", "IsEnabled"}, "IncludedObjectVersions", "OptionalFields"});
  if (configuration.find("Prefix")) result.set("Filter", take(configuration, {"Prefix"}));
  result.set("Schedule", take(configuration, {{"ScheduleFrequency", "Frequency"}}));
  const json::Object destination = take(object_of(configuration, "Destination"),
                                        {{"BucketAccountId", "AccountId"}, {"BucketArn", "Bucket"}, "Format", "Prefix"});
  result.set("Destination", json::Object{{"S3BucketDestination", destination}});
  return result;
}

struct Identified {
  std::string_view property;
  std::string_view member;
  json::Object (*document)(const json::Object&);
};

constexpr Identified kIdentified[] = {
    {"MetricsConfigurations", "MetricsConfiguration", metrics_document},
    {"InventoryConfigurations", "InventoryConfiguration", inventory_document},
};

const json::Value* find_configuration(const json::Array& all, const std::string& id) {
  const auto found =
      std::ranges::find_if(all, [&](const json::Value& one) { return text_of(one.object(), "Id") == id; });
  return found == all.end() ? nullptr : &*found;
}

Task<void> change_identified(Step& step, std::string bucket, const Identified& which, const json::Object& before,
                             const json::Object& after) {
  const json::Array old_ones = list_of(before, which.property), new_ones = list_of(after, which.property);
  for (const json::Value& one : old_ones) {
    const std::string id = text_of(one.object(), "Id");
    if (find_configuration(new_ones, id)) continue;
    co_await step.call_or_null("s3", cat("DeleteBucket", which.member), json::Object{{"Bucket", bucket}, {"Id", id}},
                               {"NoSuchConfiguration"});
  }
  for (const json::Value& one : new_ones) {
    const std::string id = text_of(one.object(), "Id");
    const json::Value* old_one = find_configuration(old_ones, id);
    if (old_one && json::equal(*old_one, one)) continue;
    co_await step.call(
        "s3", cat("PutBucket", which.member),
        json::Object{{"Bucket", bucket}, {"Id", id}, {std::string(which.member), which.document(one.object())}});
  }
}

// ---- Tags are set all at once ----

Task<void> change_bucket_tags(Step& step, std::string bucket, const json::Object& before, const json::Object& after) {
  const json::Object old_tags = previous_tag_map(step, before), new_tags = tag_map(step, after);
  const bool is_new = before.empty();
  if (json::equal(old_tags, new_tags) && !(is_new && !new_tags.empty())) co_return;
  if (new_tags.empty()) {
    co_await step.call("s3", "DeleteBucketTagging", json::Object{{"Bucket", bucket}});
    co_return;
  }
  const json::Object tagging{{"TagSet", as_tag_list(new_tags)}};
  co_await step.call("s3", "PutBucketTagging", json::Object{{"Bucket", bucket}, {"Tagging", tagging}});
}

}  // namespace

Task<void> note_bucket_configurations(Step& step, std::string bucket, const json::Object& before,
                                      const json::Object& after) {
  if (step.scope().brings_back || step.scope().since == 0) co_return;
  json::Value noted = step.noted();
  if (!noted.is_object()) noted = json::Object();
  bool is_news = false;
  for (const OwnConfiguration& own : kOwnConfigurations) {
    if (before.find(own.property) || !after.find(own.property) || noted.find(own.property)) continue;
    json::Value found;
    try {
      found = co_await step.call_or_null("s3", std::string(own.get), json::Object{{"Bucket", bucket}}, {own.none});
    } catch (const wire::Error& error) {
      if (!error.code.starts_with("AccessDenied")) throw;
      continue;  // who acts may change it and not look at it
    }
    noted.object().set(std::string(own.property),
                       found.is_object() ? object_of(found.object(), own.property) : json::Object());
    is_news = true;
  }
  if (is_news) co_await step.note(std::move(noted));
}

Task<void> change_bucket_configurations(Step& step, std::string bucket, const json::Object& before,
                                        const json::Object& after) {
  if (becomes_private(before, after)) co_await change_access_control(step, bucket, before, after);
  for (const Configuration& which : kConfigurations) {
    co_await change_configuration(step, bucket, which, before, after);
  }
  if (!becomes_private(before, after)) co_await change_access_control(step, bucket, before, after);
  co_await change_access_logs(step, bucket, before, after);
  for (const Identified& which : kIdentified) co_await change_identified(step, bucket, which, before, after);
  co_await change_bucket_tags(step, bucket, before, after);
}

}  // namespace tidemill::cloudformation
