// AWS::Lambda::Permission: a statement of a function's policy, under an id of our making.
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kStatementIdSizeMax = 100;

constexpr Property kPermissionProperties[] = {
    {.name = "FunctionName", .required = true, .update = Update::replaces},
    {.name = "Action", .required = true, .update = Update::replaces},
    {.name = "EventSourceToken", .update = Update::replaces},
    {.name = "FunctionUrlAuthType", .update = Update::replaces},
    {.name = "InvokedViaFunctionUrl", .kind = Kind::boolean, .update = Update::replaces},
    {.name = "Principal", .required = true, .update = Update::replaces},
    {.name = "PrincipalOrgID", .update = Update::replaces},
    {.name = "SourceAccount", .update = Update::replaces},
    {.name = "SourceArn", .update = Update::replaces},
};

Task<std::string> create_permission(Step& step, const json::Object& properties) {
  const std::string id = step.physical_name(kStatementIdSizeMax);
  json::Object request = properties;
  request.set("StatementId", id);
  // Its id is nobody else's, so that one which is there already is this one.
  co_await step.call_or_null("lambda", "AddPermission", std::move(request), {"ResourceConflictException"});
  co_return id;
}

Task<void> remove_permission(Step& step, std::string id, const json::Object& properties) {
  co_await step.call_or_null("lambda", "RemovePermission",
                             json::Object{{"FunctionName", text_of(properties, "FunctionName")}, {"StatementId", id}},
                             {"ResourceNotFoundException"});
}

Task<json::Object> describe_permission(Step&, std::string id, const json::Object&) {
  co_return json::Object{{"Id", id}};
}

}  // namespace

const ResourceType types::kLambdaPermission = {
    .name = "AWS::Lambda::Permission",
    .properties = kPermissionProperties,
    .create = create_permission,
    .remove = remove_permission,
    .attributes = describe_permission,
};

}  // namespace tidemill::cloudformation
