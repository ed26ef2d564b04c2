// AWS::Lambda::Url. Its id is the function's ARN, with the alias if it is an alias' URL.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kUrlCors[] = {
    {.name = "AllowCredentials", .kind = Kind::boolean}, {.name = "AllowHeaders", .form = Form::list},
    {.name = "AllowMethods", .form = Form::list},        {.name = "AllowOrigins", .form = Form::list},
    {.name = "ExposeHeaders", .form = Form::list},       {.name = "MaxAge", .kind = Kind::integer},
};

constexpr Property kUrlProperties[] = {
    {.name = "TargetFunctionArn", .required = true, .update = Update::replaces},
    {.name = "AuthType", .required = true},
    {.name = "Cors", .kind = Kind::object, .members = kUrlCors},
    {.name = "InvokeMode"},
    {.name = "Qualifier", .update = Update::replaces},
};

json::Object url_key(const json::Object& properties) {
  return take(properties, {{"TargetFunctionArn", "FunctionName"}, "Qualifier"});
}

json::Object url_request(const json::Object& properties) {
  return take(properties, {{"TargetFunctionArn", "FunctionName"}, "Qualifier", "AuthType", "Cors", "InvokeMode"});
}

Task<std::string> create_url(Step& step, const json::Object& properties) {
  co_await claim(step, text_of(properties, "TargetFunctionArn"),
                 {"lambda", "GetFunctionUrlConfig", url_key(properties), {"ResourceNotFoundException"}});
  co_await step.call_or_null("lambda", "CreateFunctionUrlConfig", url_request(properties),
                             {"ResourceConflictException"});
  const json::Value found = co_await step.call("lambda", "GetFunctionUrlConfig", url_key(properties));
  co_return answered_text(found, "FunctionArn");
}

Task<std::string> update_url(Step& step, std::string arn, const json::Object& before, const json::Object& after) {
  json::Object request = url_request(after);
  set_removed(request, before, {{"Cors", json::Object()}, {"InvokeMode", "BUFFERED"}});
  co_await step.call("lambda", "UpdateFunctionUrlConfig", std::move(request));
  co_return arn;
}

Task<void> remove_url(Step& step, std::string, const json::Object& properties) {
  co_await step.call_or_null("lambda", "DeleteFunctionUrlConfig", url_key(properties), {"ResourceNotFoundException"});
}

Task<json::Object> describe_url(Step& step, std::string, const json::Object& properties) {
  const json::Value found = co_await step.call("lambda", "GetFunctionUrlConfig", url_key(properties));
  co_return take(found.object(), {"FunctionArn", "FunctionUrl"});
}

}  // namespace

const ResourceType types::kLambdaUrl = {
    .name = "AWS::Lambda::Url",
    .properties = kUrlProperties,
    .create = create_url,
    .update = update_url,
    .remove = remove_url,
    .attributes = describe_url,
};

}  // namespace tidemill::cloudformation
