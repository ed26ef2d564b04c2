// AWS::IAM::ServiceLinkedRole.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/iam_principals.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr std::chrono::minutes kLinkedRoleDeletedMax{30};

constexpr Property kLinkedRoleProperties[] = {
    {.name = "AWSServiceName", .update = Update::replaces},
    {.name = "CustomSuffix", .update = Update::replaces},
    {.name = "Description"},
};

// The role of the service that is there; empty: none. Each service has a path of its own, and a suffix ends the name.
Task<std::string> found_linked_role(Step& step, const json::Object& properties) {
  const std::string suffix = text_of(properties, "CustomSuffix");
  const std::string path = base::cat("/aws-service-role/", text_of(properties, "AWSServiceName"), "/");
  const json::Value answer = co_await step.call("iam", "ListRoles", json::Object{{"PathPrefix", path}});
  for (const json::Value& role : list_of(answer.object(), "Roles")) {
    std::string name = text_of(role.object(), "RoleName");
    if (suffix.empty() ? name.find('_') == std::string::npos : name.ends_with(base::cat("_", suffix))) co_return name;
  }
  co_return std::string();
}

Task<std::string> create_linked_role(Step& step, const json::Object& properties) {
  const std::string found = co_await found_linked_role(step, properties);
  if (!found.empty() && has_claimed(step)) co_return found;
  if (!found.empty()) refuse_existing(step, found);
  co_await remember_claim(step);
  const json::Value made = co_await step.call("iam", "CreateServiceLinkedRole", properties);
  co_return text_of(object_of(made.object(), "Role"), "RoleName");
}

Task<std::string> update_linked_role(Step& step, std::string name, const json::Object&, const json::Object& after) {
  co_await step.call("iam", "UpdateRole",
                     json::Object{{"RoleName", name}, {"Description", text_of(after, "Description")}});
  co_return name;
}

Task<bool> linked_role_is_gone(Step& step, std::string name) {
  co_return (co_await step.call_or_null("iam", "GetRole", json::Object{{"RoleName", name}}, {kNoSuchEntity})).is_null();
}

Task<void> remove_linked_role(Step& step, std::string name, const json::Object&) {
  const json::Value task =
      co_await step.call_or_null("iam", "DeleteServiceLinkedRole", json::Object{{"RoleName", name}}, {kNoSuchEntity});
  if (task.is_null()) co_return;
  if (!co_await step.wait_until([&] { return linked_role_is_gone(step, name); }, kLinkedRoleDeletedMax)) {
    throw InvalidRequest("The service-linked role was not deleted in time.");
  }
}

Task<json::Object> describe_linked_role(Step&, std::string name, const json::Object&) {
  co_return json::Object{{"RoleName", name}};
}

}  // namespace

const ResourceType types::kIamServiceLinkedRole = {
    .name = "AWS::IAM::ServiceLinkedRole",
    .properties = kLinkedRoleProperties,
    .create = create_linked_role,
    .update = update_linked_role,
    .remove = remove_linked_role,
    .attributes = describe_linked_role,
};

}  // namespace tidemill::cloudformation
