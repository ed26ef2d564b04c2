// AWS::IAM::Group, with its policies.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/iam_principals.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kGroupNameMax = 128;

constexpr Property kGroupPolicy[] = {
    {.name = "PolicyDocument", .kind = Kind::json, .required = true},
    {.name = "PolicyName", .required = true},
};

constexpr Property kGroupProperties[] = {
    {.name = "GroupName", .update = Update::replaces},
    {.name = "ManagedPolicyArns", .form = Form::list},
    {.name = "Path"},
    {.name = "Policies", .kind = Kind::object, .form = Form::list, .members = kGroupPolicy},
};

Principal group_named(const std::string& name) { return {PrincipalKind::group, name}; }

Task<std::string> create_group(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "GroupName", kGroupNameMax);
  if (properties.find("GroupName")) {
    co_await claim(step, name, {"iam", "GetGroup", json::Object{{"GroupName", name}}, {kNoSuchEntity}});
  }
  json::Object request = take(properties, {"Path"});
  request.set("GroupName", name);
  co_await step.call_or_null("iam", "CreateGroup", std::move(request), {kEntityExists});
  co_await step.made(name);
  co_await change_policies(step, group_named(name), {}, properties);
  co_return name;
}

Task<std::string> update_group(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  if (!same_member(before, after, "Path")) {
    co_await step.call("iam", "UpdateGroup",
                       json::Object{{"GroupName", name}, {"NewPath", text_or(after, "Path", "/")}});
  }
  co_await change_policies(step, group_named(name), before, after);
  co_return name;
}

Task<void> remove_group(Step& step, std::string name, const json::Object& properties) {
  co_await change_policies(step, group_named(name), properties, {});
  co_await step.call_or_null("iam", "DeleteGroup", json::Object{{"GroupName", name}}, {kNoSuchEntity});
}

Task<json::Object> describe_group(Step& step, std::string name, const json::Object&) {
  const json::Value answer = co_await step.call("iam", "GetGroup", json::Object{{"GroupName", name}});
  co_return take(object_of(answer.object(), "Group"), {"Arn"});
}

}  // namespace

const ResourceType types::kIamGroup = {
    .name = "AWS::IAM::Group",
    .properties = kGroupProperties,
    .create = create_group,
    .update = update_group,
    .remove = remove_group,
    .attributes = describe_group,
    .name_property = "GroupName",
};

}  // namespace tidemill::cloudformation
