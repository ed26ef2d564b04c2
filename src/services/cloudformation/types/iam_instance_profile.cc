// AWS::IAM::InstanceProfile with its role.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/iam_principals.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kProfileProperties[] = {
    {.name = "InstanceProfileName", .update = Update::replaces},
    {.name = "Path", .update = Update::replaces},
    {.name = "Roles", .form = Form::list, .required = true},
};

json::Object profile_named(const std::string& name) { return json::Object{{"InstanceProfileName", name}}; }

// The role that goes makes room for the one that comes: a profile has one.
Task<void> change_profile_roles(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  for (const std::string& role : texts_gone(before, after, "Roles")) {
    json::Object request = profile_named(name);
    request.set("RoleName", role);
    co_await take_away(step, "RemoveRoleFromInstanceProfile", std::move(request));
  }
  const json::Value answer =
      co_await step.call_or_null("iam", "GetInstanceProfile", profile_named(name), {kNoSuchEntity});
  if (answer.is_null()) co_return;
  const json::Object profile = object_of(answer.object(), "InstanceProfile");
  json::Array names;
  for (const json::Value& role : list_of(profile, "Roles")) names.push_back(text_of(role.object(), "RoleName"));
  const json::Object current{{"Roles", std::move(names)}};
  for (const std::string& role : texts_gone(after, current, "Roles")) {
    json::Object request = profile_named(name);
    request.set("RoleName", role);
    co_await step.call("iam", "AddRoleToInstanceProfile", std::move(request));
  }
}

Task<std::string> create_profile(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "InstanceProfileName", kPolicyNameSizeMax);
  if (properties.find("InstanceProfileName")) {
    co_await claim(step, name, {"iam", "GetInstanceProfile", profile_named(name), {kNoSuchEntity}});
  }
  json::Object request = take(properties, {"Path"});
  request.set("InstanceProfileName", name);
  co_await step.call_or_null("iam", "CreateInstanceProfile", std::move(request), {kEntityExists});
  co_await step.made(name);
  co_await change_profile_roles(step, name, {}, properties);
  co_return name;
}

Task<std::string> update_profile(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  co_await change_profile_roles(step, name, before, after);
  co_return name;
}

Task<void> remove_profile(Step& step, std::string name, const json::Object& properties) {
  co_await change_profile_roles(step, name, properties, {});
  co_await step.call_or_null("iam", "DeleteInstanceProfile", profile_named(name), {kNoSuchEntity});
}

Task<json::Object> describe_profile(Step& step, std::string name, const json::Object&) {
  const json::Value answer = co_await step.call("iam", "GetInstanceProfile", profile_named(name));
  co_return take(object_of(answer.object(), "InstanceProfile"), {"Arn"});
}

}  // namespace

const ResourceType types::kIamInstanceProfile = {
    .name = "AWS::IAM::InstanceProfile",
    .properties = kProfileProperties,
    .create = create_profile,
    .update = update_profile,
    .remove = remove_profile,
    .attributes = describe_profile,
    .name_property = "InstanceProfileName",
};

}  // namespace tidemill::cloudformation
