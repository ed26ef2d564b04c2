// AWS::Logs::QueryDefinition. Its id is the service's; a token makes one of a creation that is repeated after a crash.
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kQueryDefinitionProperties[] = {
    {.name = "LogGroupNames", .form = Form::list},
    {.name = "Name", .required = true},
    {.name = "Parameters", .kind = Kind::json, .form = Form::list, .refused = "queries have no parameters"},
    {.name = "QueryLanguage", .update = Update::replaces},
    {.name = "QueryString", .required = true},
};

Task<std::string> create_definition(Step& step, const json::Object& properties) {
  json::Object request = properties;
  request.set("ClientToken", step.client_token());  // the same token is answered with the same definition
  co_return answered_text(co_await step.call("logs", "PutQueryDefinition", std::move(request)), "QueryDefinitionId");
}

Task<std::string> update_definition(Step& step, std::string id, const json::Object&, const json::Object& after) {
  json::Object request = after;
  request.set("QueryDefinitionId", id);
  co_await step.call("logs", "PutQueryDefinition", std::move(request));
  co_return id;
}

Task<void> remove_definition(Step& step, std::string id, const json::Object&) {
  co_await step.call_or_null("logs", "DeleteQueryDefinition", json::Object{{"QueryDefinitionId", id}},
                             {"ResourceNotFoundException"});
}

Task<json::Object> describe_definition(Step&, std::string id, const json::Object&) {
  co_return json::Object{{"QueryDefinitionId", id}};
}

}  // namespace

const ResourceType types::kLogsQueryDefinition = {
    .name = "AWS::Logs::QueryDefinition",
    .properties = kQueryDefinitionProperties,
    .create = create_definition,
    .update = update_definition,
    .remove = remove_definition,
    .attributes = describe_definition,
};

}  // namespace tidemill::cloudformation
