// AWS::StepFunctions::StateMachineVersion.
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kMachineVersionProperties[] = {
    {.name = "StateMachineArn", .required = true, .update = Update::replaces},
    {.name = "Description", .update = Update::replaces},
    {.name = "StateMachineRevisionId", .update = Update::replaces},
};

Task<std::string> create_machine_version(Step& step, const json::Object& properties) {
  json::Object request = take(properties, {"StateMachineArn", "Description", {"StateMachineRevisionId", "RevisionId"}});
  // A revision is published once: once more, the same version is answered.
  const json::Value made = co_await step.call("states", "PublishStateMachineVersion", std::move(request));
  co_return answered_text(made, "StateMachineVersionArn");
}

Task<void> remove_machine_version(Step& step, std::string arn, const json::Object&) {
  co_await step.call_or_null("states", "DeleteStateMachineVersion", json::Object{{"StateMachineVersionArn", arn}},
                             {"StateMachineDoesNotExist", "ResourceNotFound"});
}

Task<json::Object> describe_machine_version(Step&, std::string arn, const json::Object&) {
  co_return json::Object{{"Arn", arn}};
}

}  // namespace

const ResourceType types::kStepFunctionsVersion = {
    .name = "AWS::StepFunctions::StateMachineVersion",
    .properties = kMachineVersionProperties,
    .create = create_machine_version,
    .remove = remove_machine_version,
    .attributes = describe_machine_version,
};

}  // namespace tidemill::cloudformation
