// AWS::Lambda::Alias.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/lambda_concurrency.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr Property kAliasProvisionedConcurrencyConfiguration[] = {
    {.name = "ProvisionedConcurrentExecutions", .kind = Kind::integer, .required = true},
};

constexpr Property kAliasVersionWeight[] = {
    {.name = "FunctionVersion", .required = true},
    {.name = "FunctionWeight", .kind = Kind::number, .required = true},
};

constexpr Property kAliasAliasRoutingConfiguration[] = {
    {.name = "AdditionalVersionWeights", .kind = Kind::object, .form = Form::list, .members = kAliasVersionWeight},
};

constexpr Property kAliasProperties[] = {
    {.name = "FunctionName", .required = true, .update = Update::replaces},
    {.name = "Name", .required = true, .update = Update::replaces},
    {.name = "Description"},
    {.name = "FunctionVersion", .required = true},
    {.name = "ProvisionedConcurrencyConfig",
     .kind = Kind::object,
     .members = kAliasProvisionedConcurrencyConfiguration},
    {.name = "RoutingConfig", .kind = Kind::object, .members = kAliasAliasRoutingConfiguration},
};

// [{FunctionVersion, FunctionWeight}] is a map of weights to Lambda.
json::Object alias_routing(const json::Object& properties) {
  json::Object weights;
  for (const json::Value& one : list_of(object_of(properties, "RoutingConfig"), "AdditionalVersionWeights")) {
    weights.set(text_of(one.object(), "FunctionVersion"), answered(one, "FunctionWeight"));
  }
  return json::Object{{"AdditionalVersionWeights", std::move(weights)}};
}

json::Object alias_request(const json::Object& properties) {
  json::Object request = take(properties, {"FunctionName", "Name", "FunctionVersion", "Description"});
  request.set("RoutingConfig", alias_routing(properties));
  return request;
}

Task<std::string> create_alias(Step& step, const json::Object& properties) {
  const std::string function = text_of(properties, "FunctionName"), name = text_of(properties, "Name");
  const json::Object key{{"FunctionName", function}, {"Name", name}};
  co_await claim(step, cat(function, ':', name), {"lambda", "GetAlias", key, {"ResourceNotFoundException"}});
  co_await step.call_or_null("lambda", "CreateAlias", alias_request(properties), {"ResourceConflictException"});
  const std::string arn = answered_text(co_await step.call("lambda", "GetAlias", key), "AliasArn");
  co_await step.made(arn);
  co_await set_provisioned_concurrency(step, function, name, {}, properties);
  co_return arn;
}

Task<std::string> update_alias(Step& step, std::string arn, const json::Object& before, const json::Object& after) {
  json::Object request = alias_request(after);
  set_removed(request, before, {{"Description", ""}});
  const std::string function = text_of(after, "FunctionName"), name = text_of(after, "Name");
  // Where an alias with processes may not go, one that gives them up may.
  const bool gives_up = object_of(after, "ProvisionedConcurrencyConfig").empty();
  if (gives_up) co_await set_provisioned_concurrency(step, function, name, before, after);
  co_await step.call("lambda", "UpdateAlias", std::move(request));
  if (!gives_up) co_await set_provisioned_concurrency(step, function, name, before, after);
  co_return arn;
}

Task<void> remove_alias(Step& step, std::string, const json::Object& properties) {
  co_await step.call_or_null("lambda", "DeleteAlias", take(properties, {"FunctionName", "Name"}),
                             {"ResourceNotFoundException"});
}

Task<json::Object> describe_alias(Step&, std::string arn, const json::Object&) {
  co_return json::Object{{"AliasArn", arn}};
}

}  // namespace

const ResourceType types::kLambdaAlias = {
    .name = "AWS::Lambda::Alias",
    .properties = kAliasProperties,
    .create = create_alias,
    .update = update_alias,
    .remove = remove_alias,
    .attributes = describe_alias,
};

}  // namespace tidemill::cloudformation
