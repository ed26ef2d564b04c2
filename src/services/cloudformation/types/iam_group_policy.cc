// AWS::IAM::GroupPolicy: one policy inside one group, "POLICY|GROUP".
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/iam_principals.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kGroupPolicyProperties[] = {
    {.name = "GroupName", .required = true, .update = Update::replaces},
    {.name = "PolicyName", .required = true, .update = Update::replaces},
    {.name = "PolicyDocument", .kind = Kind::json},
};

Principal group_of_policy(const json::Object& properties) {
  return {PrincipalKind::group, text_of(properties, "GroupName")};
}

Task<void> put_group_policy(Step& step, const json::Object& properties) {
  const json::Value* document = properties.find("PolicyDocument");
  if (!document) throw InvalidRequest("The property PolicyDocument is required.");
  co_await put_inline_policy(step, group_of_policy(properties), text_of(properties, "PolicyName"), *document);
}

Task<std::string> create_group_policy(Step& step, const json::Object& properties) {
  const std::string id = base::cat(text_of(properties, "PolicyName"), '|', text_of(properties, "GroupName"));
  co_await claim(step, id, {"iam", "GetGroupPolicy", take(properties, {"GroupName", "PolicyName"}), {kNoSuchEntity}});
  co_await put_group_policy(step, properties);
  co_return id;
}

Task<std::string> update_group_policy(Step& step, std::string id, const json::Object&, const json::Object& after) {
  co_await put_group_policy(step, after);
  co_return id;
}

Task<void> remove_group_policy(Step& step, std::string, const json::Object& properties) {
  co_await remove_inline_policy(step, group_of_policy(properties), text_of(properties, "PolicyName"));
}

}  // namespace

const ResourceType types::kIamGroupPolicy = {
    .name = "AWS::IAM::GroupPolicy",
    .properties = kGroupPolicyProperties,
    .create = create_group_policy,
    .update = update_group_policy,
    .remove = remove_group_policy,
};

}  // namespace tidemill::cloudformation
