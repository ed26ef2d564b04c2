// AWS::Lambda::EventInvokeConfig: what becomes of asynchronous invocations.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr Property kInvokeConfigOnFailure[] = {
    {.name = "Destination", .required = true},
};

constexpr Property kInvokeConfigDestinationConfig[] = {
    {.name = "OnFailure", .kind = Kind::object, .members = kInvokeConfigOnFailure},
    {.name = "OnSuccess", .kind = Kind::object, .members = kInvokeConfigOnFailure},
};

constexpr Property kInvokeConfigProperties[] = {
    {.name = "FunctionName", .required = true, .update = Update::replaces},
    {.name = "Qualifier", .required = true, .update = Update::replaces},
    {.name = "DestinationConfig", .kind = Kind::object, .members = kInvokeConfigDestinationConfig},
    {.name = "MaximumEventAgeInSeconds", .kind = Kind::integer},
    {.name = "MaximumRetryAttempts", .kind = Kind::integer},
};

json::Object invoke_config_key(const json::Object& properties) {
  return take(properties, {"FunctionName", "Qualifier"});
}

Task<std::string> create_invoke_config(Step& step, const json::Object& properties) {
  const std::string id = cat(text_of(properties, "FunctionName"), '|', text_of(properties, "Qualifier"));
  co_await claim(
      step, id,
      {"lambda", "GetFunctionEventInvokeConfig", invoke_config_key(properties), {"ResourceNotFoundException"}});
  co_await step.call("lambda", "PutFunctionEventInvokeConfig", properties);
  co_return id;
}

Task<std::string> update_invoke_config(Step& step, std::string id, const json::Object&, const json::Object& after) {
  co_await step.call("lambda", "PutFunctionEventInvokeConfig", after);
  co_return id;
}

Task<void> remove_invoke_config(Step& step, std::string, const json::Object& properties) {
  co_await step.call_or_null("lambda", "DeleteFunctionEventInvokeConfig", invoke_config_key(properties),
                             {"ResourceNotFoundException"});
}

}  // namespace

const ResourceType types::kLambdaEventInvokeConfig = {
    .name = "AWS::Lambda::EventInvokeConfig",
    .properties = kInvokeConfigProperties,
    .create = create_invoke_config,
    .update = update_invoke_config,
    .remove = remove_invoke_config,
};

}  // namespace tidemill::cloudformation
