// AWS::IAM::UserToGroupAddition.
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/iam_principals.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kAdditionProperties[] = {
    {.name = "GroupName", .required = true},
    {.name = "Users", .form = Form::list, .required = true},
};

Task<void> add_to_group(Step& step, const json::Object& properties) {
  const std::string group = text_of(properties, "GroupName");
  for (const std::string& user : texts_of(properties, "Users")) {
    co_await step.call("iam", "AddUserToGroup", json::Object{{"GroupName", group}, {"UserName", user}});
  }
}

Task<void> remove_from_group(Step& step, std::string group, std::vector<std::string> users) {
  for (const std::string& user : users) {
    co_await take_away(step, "RemoveUserFromGroup", json::Object{{"GroupName", group}, {"UserName", user}});
  }
}

Task<std::string> create_addition(Step& step, const json::Object& properties) {
  const std::string id = step.physical_name(kPolicyNameSizeMax);
  co_await step.made(id);
  co_await add_to_group(step, properties);
  co_return id;
}

Task<std::string> update_addition(Step& step, std::string id, const json::Object& before, const json::Object& after) {
  co_await add_to_group(step, after);
  const bool other_group = !same_member(before, after, "GroupName");
  co_await remove_from_group(step, text_of(before, "GroupName"),
                             other_group ? texts_of(before, "Users") : texts_gone(before, after, "Users"));
  co_return id;
}

Task<void> remove_addition(Step& step, std::string, const json::Object& properties) {
  co_await remove_from_group(step, text_of(properties, "GroupName"), texts_of(properties, "Users"));
}

Task<json::Object> describe_addition(Step&, std::string id, const json::Object&) { co_return json::Object{{"Id", id}}; }

}  // namespace

const ResourceType types::kIamUserToGroupAddition = {
    .name = "AWS::IAM::UserToGroupAddition",
    .properties = kAdditionProperties,
    .create = create_addition,
    .update = update_addition,
    .remove = remove_addition,
    .attributes = describe_addition,
    .removed_by_properties = true,
};

}  // namespace tidemill::cloudformation
