// AWS::IAM::User, with its policies and groups.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/iam_principals.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kUserNameSizeMax = 64;

constexpr Property kUserPolicy[] = {
    {.name = "PolicyDocument", .kind = Kind::json, .required = true},
    {.name = "PolicyName", .required = true},
};

constexpr Property kUserProperties[] = {
    {.name = "UserName", .update = Update::replaces},
    {.name = "Groups", .form = Form::list},
    {.name = "LoginProfile", .kind = Kind::json, .refused = "nobody signs in with a password"},
    {.name = "ManagedPolicyArns", .form = Form::list},
    {.name = "Path"},
    {.name = "PermissionsBoundary"},
    {.name = "Policies", .kind = Kind::object, .form = Form::list, .members = kUserPolicy},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
};

Principal user_named(const std::string& name) { return {PrincipalKind::user, name}; }

Task<void> change_user_groups(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  for (const std::string& group : texts_gone(before, after, "Groups")) {
    co_await take_away(step, "RemoveUserFromGroup", json::Object{{"UserName", name}, {"GroupName", group}});
  }
  for (const std::string& group : texts_gone(after, before, "Groups")) {
    co_await step.call("iam", "AddUserToGroup", json::Object{{"UserName", name}, {"GroupName", group}});
  }
}

Task<std::string> create_user(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "UserName", kUserNameSizeMax);
  if (properties.find("UserName")) {
    co_await claim(step, name, {"iam", "GetUser", json::Object{{"UserName", name}}, {kNoSuchEntity}});
  }
  json::Object request = take(properties, {"Path", "PermissionsBoundary"});
  request.set("UserName", name);
  request.set("Tags", tag_list(step, properties));
  co_await step.call_or_null("iam", "CreateUser", std::move(request), {kEntityExists});
  co_await step.made(name);
  co_await change_policies(step, user_named(name), {}, properties);
  co_await change_user_groups(step, name, {}, properties);
  co_return name;
}

Task<std::string> update_user(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  if (!same_member(before, after, "Path")) {
    co_await step.call("iam", "UpdateUser", json::Object{{"UserName", name}, {"NewPath", text_or(after, "Path", "/")}});
  }
  co_await change_boundary(step, user_named(name), before, after);
  co_await change_policies(step, user_named(name), before, after);
  co_await change_user_groups(step, name, before, after);
  co_await change_principal_tags(step, user_named(name), before, after);
  co_return name;
}

Task<void> remove_user(Step& step, std::string name, const json::Object& properties) {
  co_await change_policies(step, user_named(name), properties, {});
  co_await change_user_groups(step, name, properties, {});
  co_await step.call_or_null("iam", "DeleteUser", json::Object{{"UserName", name}}, {kNoSuchEntity});
}

Task<json::Object> describe_user(Step& step, std::string name, const json::Object&) {
  const json::Value answer = co_await step.call("iam", "GetUser", json::Object{{"UserName", name}});
  co_return take(object_of(answer.object(), "User"), {"Arn"});
}

}  // namespace

const ResourceType types::kIamUser = {
    .name = "AWS::IAM::User",
    .properties = kUserProperties,
    .create = create_user,
    .update = update_user,
    .remove = remove_user,
    .attributes = describe_user,
    .name_property = "UserName",
};

}  // namespace tidemill::cloudformation
