// AWS::IAM::Policy: one policy inside roles, users and groups.
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/iam_principals.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kPolicyProperties[] = {
    {.name = "PolicyName", .required = true},
    {.name = "Groups", .form = Form::list},
    {.name = "PolicyDocument", .kind = Kind::json, .required = true},
    {.name = "Roles", .form = Form::list},
    {.name = "Users", .form = Form::list},
};

struct PolicyHolders {
  PrincipalKind kind;
  std::string_view property;
};
constexpr PolicyHolders kPolicyHolders[] = {
    {PrincipalKind::role, "Roles"}, {PrincipalKind::user, "Users"}, {PrincipalKind::group, "Groups"}};

Task<void> give_policy(Step& step, const json::Object& properties) {
  const std::string name = text_of(properties, "PolicyName");
  bool given = false;
  for (const PolicyHolders& holders : kPolicyHolders) {
    for (const std::string& holder : texts_of(properties, holders.property)) {
      co_await put_inline_policy(step, {holders.kind, holder}, name, *properties.find("PolicyDocument"));
      given = true;
    }
  }
  if (!given) throw InvalidRequest("At least one of [Groups,Roles,Users] must be non-empty.");
}

Task<std::string> create_policy(Step& step, const json::Object& properties) {
  const std::string id = step.physical_name(kPolicyNameSizeMax);
  co_await step.made(id);
  co_await give_policy(step, properties);
  co_return id;
}

Task<std::string> update_policy(Step& step, std::string id, const json::Object& before, const json::Object& after) {
  co_await give_policy(step, after);
  const bool renamed = !same_member(before, after, "PolicyName");
  for (const PolicyHolders& holders : kPolicyHolders) {
    const auto left = renamed ? texts_of(before, holders.property) : texts_gone(before, after, holders.property);
    for (const std::string& holder : left) {
      co_await remove_inline_policy(step, {holders.kind, holder}, text_of(before, "PolicyName"));
    }
  }
  co_return id;
}

Task<void> remove_policy(Step& step, std::string, const json::Object& properties) {
  for (const PolicyHolders& holders : kPolicyHolders) {
    for (const std::string& holder : texts_of(properties, holders.property)) {
      co_await remove_inline_policy(step, {holders.kind, holder}, text_of(properties, "PolicyName"));
    }
  }
}

Task<json::Object> describe_policy(Step&, std::string id, const json::Object&) { co_return json::Object{{"Id", id}}; }

}  // namespace

const ResourceType types::kIamPolicy = {
    .name = "AWS::IAM::Policy",
    .properties = kPolicyProperties,
    .create = create_policy,
    .update = update_policy,
    .remove = remove_policy,
    .attributes = describe_policy,
    .removed_by_properties = true,
};

}  // namespace tidemill::cloudformation
