// AWS::StepFunctions::StateMachineAlias. Of deployment preferences there is the one that moves all at once.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kMachineAliasNameSizeMax = 80;
constexpr int kWholeWeight = 100;

constexpr Property kMachineAliasDeploymentPreference[] = {
    {.name = "Alarms", .form = Form::list},
    {.name = "Interval", .kind = Kind::integer},
    {.name = "Percentage", .kind = Kind::integer},
    {.name = "StateMachineVersionArn", .required = true},
    {.name = "Type", .required = true},
};

constexpr Property kMachineAliasRoutingConfigurationVersion[] = {
    {.name = "StateMachineVersionArn", .required = true},
    {.name = "Weight", .kind = Kind::integer, .required = true},
};

constexpr Property kMachineAliasProperties[] = {
    {.name = "Name", .update = Update::replaces},
    {.name = "DeploymentPreference", .kind = Kind::object, .members = kMachineAliasDeploymentPreference},
    {.name = "Description"},
    {.name = "RoutingConfiguration",
     .kind = Kind::object,
     .form = Form::list,
     .members = kMachineAliasRoutingConfigurationVersion},
    {.name = "StateMachineArn"},
};

json::Array machine_routing(const json::Object& properties) {
  const json::Object preference = object_of(properties, "DeploymentPreference");
  if (preference.empty()) return list_of(properties, "RoutingConfiguration");
  if (text_of(preference, "Type") != "ALL_AT_ONCE") {
    throw InvalidRequest(cat("DeploymentPreference: Tidemill does not support the type ", text_of(preference, "Type"),
                             ": aliases move to a version at once."));
  }
  json::Array routing;
  routing.push_back(json::Object{{"StateMachineVersionArn", text_of(preference, "StateMachineVersionArn")},
                                 {"Weight", kWholeWeight}});
  return routing;
}

// "…:stateMachine:NAME" of a version's ARN.
std::string machine_of_version(const json::Array& routing) {
  const std::string version = routing.empty() ? "" : text_of(routing.front().object(), "StateMachineVersionArn");
  return version.substr(0, version.rfind(':'));
}

Task<std::string> create_machine_alias(Step& step, const json::Object& properties) {
  json::Array routing = machine_routing(properties);
  const std::string name = name_of(step, properties, "Name", kMachineAliasNameSizeMax);
  const std::string arn = cat(machine_of_version(routing), ':', name);
  if (properties.find("Name")) {
    co_await claim(step, name,
                   {"states",
                    "DescribeStateMachineAlias",
                    json::Object{{"StateMachineAliasArn", arn}},
                    {"ResourceNotFound", "StateMachineDoesNotExist"}});
  }
  json::Object request = take(properties, {"Description"});
  request.set("Name", name);
  request.set("RoutingConfiguration", std::move(routing));
  co_await step.call_or_null("states", "CreateStateMachineAlias", std::move(request), {"ConflictException"});
  co_return arn;
}

Task<std::string> update_machine_alias(Step& step, std::string arn, const json::Object& before,
                                       const json::Object& after) {
  json::Object request = take(after, {"Description"});
  set_removed(request, before, {{"Description", ""}});
  request.set("StateMachineAliasArn", arn);
  request.set("RoutingConfiguration", machine_routing(after));
  co_await step.call("states", "UpdateStateMachineAlias", std::move(request));
  co_return arn;
}

Task<void> remove_machine_alias(Step& step, std::string arn, const json::Object&) {
  co_await step.call_or_null("states", "DeleteStateMachineAlias", json::Object{{"StateMachineAliasArn", arn}},
                             {"ResourceNotFound", "StateMachineDoesNotExist"});
}

Task<json::Object> describe_machine_alias(Step&, std::string arn, const json::Object&) {
  co_return json::Object{{"Arn", arn}};
}

}  // namespace

const ResourceType types::kStepFunctionsAlias = {
    .name = "AWS::StepFunctions::StateMachineAlias",
    .properties = kMachineAliasProperties,
    .create = create_machine_alias,
    .update = update_machine_alias,
    .remove = remove_machine_alias,
    .attributes = describe_machine_alias,
    .name_property = "Name",
};

}  // namespace tidemill::cloudformation
