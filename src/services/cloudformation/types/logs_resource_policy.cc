// AWS::Logs::ResourcePolicy: by its name, which creation takes whoever had it.
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kResourcePolicyProperties[] = {
    {.name = "PolicyDocument", .kind = Kind::json, .required = true},
    {.name = "PolicyName", .required = true, .update = Update::replaces},
};

Task<void> put_resource_policy(Step& step, const json::Object& properties) {
  json::Object request = properties;
  make_json_text(request, "PolicyDocument");
  co_await step.call("logs", "PutResourcePolicy", std::move(request));
}

Task<std::string> create_resource_policy(Step& step, const json::Object& properties) {
  const std::string name = text_of(properties, "PolicyName");
  co_await step.made(name);
  co_await put_resource_policy(step, properties);
  co_return name;
}

Task<std::string> update_resource_policy(Step& step, std::string name, const json::Object&, const json::Object& after) {
  co_await put_resource_policy(step, after);
  co_return name;
}

Task<void> remove_resource_policy(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("logs", "DeleteResourcePolicy", json::Object{{"PolicyName", name}},
                             {"ResourceNotFoundException"});
}

Task<json::Object> describe_resource_policy(Step&, std::string, const json::Object&) { co_return json::Object(); }

}  // namespace

const ResourceType types::kLogsResourcePolicy = {
    .name = "AWS::Logs::ResourcePolicy",
    .properties = kResourcePolicyProperties,
    .create = create_resource_policy,
    .update = update_resource_policy,
    .remove = remove_resource_policy,
    .attributes = describe_resource_policy,
};

}  // namespace tidemill::cloudformation
