// AWS::KMS::Alias.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kAliasProperties[] = {
    {.name = "AliasName", .required = true, .update = Update::replaces},
    {.name = "TargetKeyId", .required = true},
};

json::Object alias_of(const std::string& name, const json::Object& properties) {
  return json::Object{{"AliasName", name}, {"TargetKeyId", text_of(properties, "TargetKeyId")}};
}

Task<std::string> create_alias(Step& step, const json::Object& properties) {
  std::string name = text_of(properties, "AliasName");
  co_await claim(step, name, {"kms", "DescribeKey", json::Object{{"KeyId", name}}, {"NotFoundException"}});
  co_await step.call_or_null("kms", "CreateAlias", alias_of(name, properties), {"AlreadyExistsException"});
  co_return name;
}

Task<std::string> update_alias(Step& step, std::string name, const json::Object&, const json::Object& after) {
  co_await step.call("kms", "UpdateAlias", alias_of(name, after));
  co_return name;
}

Task<void> remove_alias(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("kms", "DeleteAlias", json::Object{{"AliasName", name}}, {"NotFoundException"});
}

}  // namespace

const ResourceType types::kKmsAlias = {
    .name = "AWS::KMS::Alias",
    .properties = kAliasProperties,
    .create = create_alias,
    .update = update_alias,
    .remove = remove_alias,
    .name_property = "AliasName",
};

}  // namespace tidemill::cloudformation
