// AWS::IAM::Role, with the policies inside it and those attached to it.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/iam_principals.h"
#include "services/cloudformation/types/reading.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr int kSessionSecondsByDefault = 3600;

constexpr Property kRolePolicy[] = {
    {.name = "PolicyDocument", .kind = Kind::json, .required = true},
    {.name = "PolicyName", .required = true},
};

constexpr Property kRoleProperties[] = {
    {.name = "RoleName", .update = Update::replaces},
    {.name = "AssumeRolePolicyDocument", .kind = Kind::json, .required = true},
    {.name = "Description"},
    {.name = "ManagedPolicyArns", .form = Form::list},
    {.name = "MaxSessionDuration", .kind = Kind::integer},
    {.name = "Path", .update = Update::replaces},
    {.name = "PermissionsBoundary"},
    {.name = "Policies", .kind = Kind::object, .form = Form::list, .members = kRolePolicy},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
};

Principal role_named(const std::string& name) { return {PrincipalKind::role, name}; }

Task<std::string> create_role(Step& step, const json::Object& properties) {
  std::string name = text_of(properties, "RoleName");
  if (name.empty()) {
    name = step.physical_name(kRoleNameSizeMax);
  } else {
    co_await claim(step, name, {"iam", "GetRole", json::Object{{"RoleName", name}}, {kNoSuchEntity}});
  }
  json::Object request = take(
      properties, {"AssumeRolePolicyDocument", "Description", "MaxSessionDuration", "Path", "PermissionsBoundary"});
  make_json_text(request, "AssumeRolePolicyDocument");
  request.set("RoleName", name);
  request.set("Tags", tag_list(step, properties));
  co_await step.call_or_null("iam", "CreateRole", std::move(request), {kEntityExists});
  co_await step.made(name);
  co_await change_policies(step, role_named(name), {}, properties);
  co_return name;
}

Task<std::string> update_role(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  if (!same_member(before, after, "AssumeRolePolicyDocument")) {
    json::Object request = take(after, {{"AssumeRolePolicyDocument", "PolicyDocument"}});
    make_json_text(request, "PolicyDocument");
    request.set("RoleName", name);
    co_await step.call("iam", "UpdateAssumeRolePolicy", std::move(request));
  }
  if (differ(before, after, {"Description", "MaxSessionDuration"})) {
    json::Object request = take(after, {"Description", "MaxSessionDuration"});
    set_removed(request, before, {{"Description", ""}, {"MaxSessionDuration", kSessionSecondsByDefault}});
    request.set("RoleName", name);
    co_await step.call("iam", "UpdateRole", std::move(request));
  }
  co_await change_boundary(step, role_named(name), before, after);
  co_await change_policies(step, role_named(name), before, after);
  co_await change_principal_tags(step, role_named(name), before, after);
  co_return name;
}

Task<void> remove_role(Step& step, std::string name, const json::Object& properties) {
  co_await change_policies(step, role_named(name), properties, {});
  co_await step.call_or_null("iam", "DeleteRole", json::Object{{"RoleName", name}}, {kNoSuchEntity});
}

Task<json::Object> describe_role(Step& step, std::string name, const json::Object&) {
  const json::Value answer = co_await step.call("iam", "GetRole", json::Object{{"RoleName", name}});
  co_return take(object_of(answer.object(), "Role"), {"Arn", "RoleId"});
}

Task<json::Object> read_role(Step& step, std::string name) {
  const json::Value answer = co_await step.call("iam", "GetRole", json::Object{{"RoleName", name}});
  const json::Object role = object_of(answer.object(), "Role");
  json::Object result = take(role, {"RoleName", "Path", "MaxSessionDuration"});
  result.set("AssumeRolePolicyDocument", policy_document(role, "AssumeRolePolicyDocument"));
  if (const std::string description = text_of(role, "Description"); !description.empty()) {
    result.set("Description", description);
  }
  copy_member(result, object_of(role, "PermissionsBoundary"), "PermissionsBoundaryArn", "PermissionsBoundary");
  for (auto& [property, value] : co_await read_policies(step, role_named(name))) result.set(property, std::move(value));
  const json::Array tags =
      co_await all_pages(step, "iam", "ListRoleTags", "Tags", json::Object{{"RoleName", name}}, {"Marker", "Marker"});
  const json::Value all(tags);
  set_tags(result, &all);
  co_return result;
}

Task<std::vector<std::string>> list_roles(Step& step) {
  return list_all(step, "iam", "ListRoles", "Roles", "RoleName", {}, {"Marker", "Marker"});
}

}  // namespace

const ResourceType types::kIamRole = {
    .name = "AWS::IAM::Role",
    .properties = kRoleProperties,
    .create = create_role,
    .update = update_role,
    .remove = remove_role,
    .attributes = describe_role,
    .read = read_role,
    .list = list_roles,
    .name_property = "RoleName",
};

}  // namespace tidemill::cloudformation
