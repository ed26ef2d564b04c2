// AWS::IAM::UserPolicy: one policy inside one user, "POLICY|USER".
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/iam_principals.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kUserPolicyProperties[] = {
    {.name = "PolicyName", .required = true, .update = Update::replaces},
    {.name = "UserName", .required = true, .update = Update::replaces},
    {.name = "PolicyDocument", .kind = Kind::json},
};

Principal user_of_policy(const json::Object& properties) {
  return {PrincipalKind::user, text_of(properties, "UserName")};
}

Task<void> put_user_policy(Step& step, const json::Object& properties) {
  const json::Value* document = properties.find("PolicyDocument");
  if (!document) throw InvalidRequest("The property PolicyDocument is required.");
  co_await put_inline_policy(step, user_of_policy(properties), text_of(properties, "PolicyName"), *document);
}

Task<std::string> create_user_policy(Step& step, const json::Object& properties) {
  const std::string id = base::cat(text_of(properties, "PolicyName"), '|', text_of(properties, "UserName"));
  co_await claim(step, id, {"iam", "GetUserPolicy", take(properties, {"UserName", "PolicyName"}), {kNoSuchEntity}});
  co_await put_user_policy(step, properties);
  co_return id;
}

Task<std::string> update_user_policy(Step& step, std::string id, const json::Object&, const json::Object& after) {
  co_await put_user_policy(step, after);
  co_return id;
}

Task<void> remove_user_policy(Step& step, std::string, const json::Object& properties) {
  co_await remove_inline_policy(step, user_of_policy(properties), text_of(properties, "PolicyName"));
}

}  // namespace

const ResourceType types::kIamUserPolicy = {
    .name = "AWS::IAM::UserPolicy",
    .properties = kUserPolicyProperties,
    .create = create_user_policy,
    .update = update_user_policy,
    .remove = remove_user_policy,
};

}  // namespace tidemill::cloudformation
