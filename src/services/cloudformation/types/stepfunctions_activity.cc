// AWS::StepFunctions::Activity.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kActivityEncryptionConfiguration[] = {
    {.name = "KmsDataKeyReusePeriodSeconds", .kind = Kind::integer},
    {.name = "KmsKeyId"},
    {.name = "Type", .required = true},
};

constexpr Property kActivityProperties[] = {
    {.name = "Name", .required = true, .update = Update::replaces},
    {.name = "EncryptionConfiguration",
     .kind = Kind::object,
     .update = Update::replaces,
     .members = kActivityEncryptionConfiguration},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
};

constexpr TagOperations kActivityTags = {
    .service = "states", .tag = "TagResource", .untag = "UntagResource", .resource_member = "ResourceArn"};

Task<std::string> create_activity(Step& step, const json::Object& properties) {
  const std::string name = text_of(properties, "Name");
  const std::string arn = step.arn("states", "activity:" + name);
  co_await claim(step, name,
                 {"states", "DescribeActivity", json::Object{{"ActivityArn", arn}}, {"ActivityDoesNotExist"}});
  json::Object request = take(properties, {"Name", "EncryptionConfiguration"});
  if (json::Array tags = tag_list(step, properties); !tags.empty()) request.set("Tags", std::move(tags));
  co_await step.call("states", "CreateActivity", std::move(request));
  co_return arn;
}

Task<std::string> update_activity(Step& step, std::string arn, const json::Object& before, const json::Object& after) {
  co_await change_tags(step, kActivityTags, arn, before, after);
  co_return arn;
}

Task<void> remove_activity(Step& step, std::string arn, const json::Object&) {
  co_await step.call_or_null("states", "DeleteActivity", json::Object{{"ActivityArn", arn}}, {"ActivityDoesNotExist"});
}

Task<json::Object> describe_activity(Step&, std::string arn, const json::Object& properties) {
  co_return json::Object{{"Arn", arn}, {"Name", text_of(properties, "Name")}};
}

}  // namespace

const ResourceType types::kStepFunctionsActivity = {
    .name = "AWS::StepFunctions::Activity",
    .properties = kActivityProperties,
    .create = create_activity,
    .update = update_activity,
    .remove = remove_activity,
    .attributes = describe_activity,
    .name_property = "Name",
};

}  // namespace tidemill::cloudformation
