// AWS::IAM::RolePolicy: one policy inside one role, "POLICY|ROLE".
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/iam_principals.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kRolePolicyProperties[] = {
    {.name = "PolicyName", .required = true, .update = Update::replaces},
    {.name = "RoleName", .required = true, .update = Update::replaces},
    {.name = "PolicyDocument", .kind = Kind::json},
};

Principal role_of_policy(const json::Object& properties) {
  return {PrincipalKind::role, text_of(properties, "RoleName")};
}

Task<void> put_role_policy(Step& step, const json::Object& properties) {
  const json::Value* document = properties.find("PolicyDocument");
  if (!document) throw InvalidRequest("The property PolicyDocument is required.");
  co_await put_inline_policy(step, role_of_policy(properties), text_of(properties, "PolicyName"), *document);
}

Task<std::string> create_role_policy(Step& step, const json::Object& properties) {
  const std::string id = base::cat(text_of(properties, "PolicyName"), '|', text_of(properties, "RoleName"));
  co_await claim(step, id, {"iam", "GetRolePolicy", take(properties, {"RoleName", "PolicyName"}), {kNoSuchEntity}});
  co_await put_role_policy(step, properties);
  co_return id;
}

Task<std::string> update_role_policy(Step& step, std::string id, const json::Object&, const json::Object& after) {
  co_await put_role_policy(step, after);
  co_return id;
}

Task<void> remove_role_policy(Step& step, std::string, const json::Object& properties) {
  co_await remove_inline_policy(step, role_of_policy(properties), text_of(properties, "PolicyName"));
}

}  // namespace

const ResourceType types::kIamRolePolicy = {
    .name = "AWS::IAM::RolePolicy",
    .properties = kRolePolicyProperties,
    .create = create_role_policy,
    .update = update_role_policy,
    .remove = remove_role_policy,
};

}  // namespace tidemill::cloudformation
