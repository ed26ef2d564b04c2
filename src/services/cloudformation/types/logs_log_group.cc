// AWS::Logs::LogGroup.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/reading.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"
#include "wire/error.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kGroupNameSizeMax = 512;

constexpr Property kLogGroupProperties[] = {
    {.name = "LogGroupName", .update = Update::replaces},
    {.name = "BearerTokenAuthenticationEnabled", .kind = Kind::boolean, .refused = "nobody is authenticated yet"},
    {.name = "DataProtectionPolicy", .kind = Kind::json, .refused = "data is not masked"},
    {.name = "DeletionProtectionEnabled", .kind = Kind::boolean},
    {.name = "FieldIndexPolicies", .kind = Kind::json, .form = Form::list, .refused = "there are no field indexes"},
    {.name = "KmsKeyId"},
    {.name = "LogGroupClass"},
    {.name = "ResourcePolicyDocument", .kind = Kind::json, .refused = "groups have no policies"},
    {.name = "RetentionInDays", .kind = Kind::integer},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
};

constexpr TagOperations kLogGroupTags = {.service = "logs",
                                         .tag = "TagResource",
                                         .untag = "UntagResource",
                                         .resource_member = "ResourceArn",
                                         .form = TagForm::map};

// DescribeLogGroups finds by prefix. Empty: there is none.
Task<json::Object> find_log_group(Step& step, std::string name) {
  const json::Value answer =
      co_await step.call("logs", "DescribeLogGroups", json::Object{{"LogGroupNamePrefix", name}, {"Limit", 1}});
  for (const json::Value& group : list_of(answer.object(), "LogGroups")) {
    if (text_of(group.object(), "LogGroupName") == name) co_return group.object();
  }
  co_return json::Object();
}

Task<void> set_retention(Step& step, std::string name, const json::Object& properties) {
  json::Object request{{"LogGroupName", name}};
  const json::Value* days = properties.find("RetentionInDays");
  if (days) request.set("RetentionInDays", *days);
  co_await step.call("logs", days ? "PutRetentionPolicy" : "DeleteRetentionPolicy", std::move(request));
}

Task<std::string> create_log_group(Step& step, const json::Object& properties) {
  std::string name = text_of(properties, "LogGroupName");
  if (name.empty()) {
    name = step.physical_name(kGroupNameSizeMax);
  } else if (!has_claimed(step)) {
    if (!(co_await find_log_group(step, name)).empty()) refuse_existing(step, name);
    co_await remember_claim(step);
  }
  json::Object request = take(properties, {"KmsKeyId", "LogGroupClass", "DeletionProtectionEnabled"});
  request.set("LogGroupName", name);
  if (json::Object tags = tag_map(step, properties); !tags.empty()) request.set("Tags", std::move(tags));
  co_await step.call_or_null("logs", "CreateLogGroup", std::move(request), {"ResourceAlreadyExistsException"});
  co_await step.made(name);
  if (properties.find("RetentionInDays")) co_await set_retention(step, name, properties);
  co_return name;
}

Task<std::string> update_log_group(Step& step, std::string name, const json::Object& before,
                                   const json::Object& after) {
  if (!same_member(before, after, "RetentionInDays")) co_await set_retention(step, name, after);
  if (!same_member(before, after, "KmsKeyId")) {
    json::Object request = take(after, {"KmsKeyId"});
    request.set("LogGroupName", name);
    co_await step.call("logs", after.find("KmsKeyId") ? "AssociateKmsKey" : "DisassociateKmsKey", std::move(request));
  }
  if (!same_member(before, after, "LogGroupClass")) {
    throw InvalidRequest("The class of a log group cannot be changed after the group is created.");
  }
  if (!same_member(before, after, "DeletionProtectionEnabled")) {
    co_await step.call("logs", "PutLogGroupDeletionProtection",
                       json::Object{{"LogGroupIdentifier", name},
                                    {"DeletionProtectionEnabled", is_true(after, "DeletionProtectionEnabled")}});
  }
  co_await change_tags(step, kLogGroupTags, step.arn("logs", cat("log-group:", name)), before, after);
  co_return name;
}

Task<void> remove_log_group(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("logs", "DeleteLogGroup", json::Object{{"LogGroupName", name}},
                             {"ResourceNotFoundException"});
}

Task<json::Object> describe_log_group(Step& step, std::string name, const json::Object&) {
  co_return json::Object{{"Arn", step.arn("logs", cat("log-group:", name, ":*"))}};
}

Task<json::Object> read_log_group(Step& step, std::string name) {
  const json::Object group = co_await find_log_group(step, name);
  if (group.empty()) {
    throw wire::Error("ResourceNotFoundException", 400, "The specified log group does not exist.");
  }
  json::Object result = take(group, {"LogGroupName", "RetentionInDays", "LogGroupClass"});
  const json::Value tags = co_await step.call(
      "logs", "ListTagsForResource", json::Object{{"ResourceArn", step.arn("logs", cat("log-group:", name))}});
  set_tags(result, tags.find("Tags"));
  co_return result;
}

Task<std::vector<std::string>> list_log_groups(Step& step) {
  return list_all(step, "logs", "DescribeLogGroups", "LogGroups", "LogGroupName");
}

}  // namespace

const ResourceType types::kLogsLogGroup = {
    .name = "AWS::Logs::LogGroup",
    .properties = kLogGroupProperties,
    .create = create_log_group,
    .update = update_log_group,
    .remove = remove_log_group,
    .attributes = describe_log_group,
    .read = read_log_group,
    .list = list_log_groups,
    .name_property = "LogGroupName",
};

}  // namespace tidemill::cloudformation
