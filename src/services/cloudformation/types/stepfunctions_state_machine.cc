// AWS::StepFunctions::StateMachine. Its definition stands in the template, as text or as an object, or in a bucket.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/reading.h"
#include "services/cloudformation/types/stepfunctions_definition.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kMachineNameSizeMax = 80;

constexpr Property kMachineS3Location[] = {
    {.name = "Bucket", .required = true},
    {.name = "Key", .required = true},
    {.name = "Version"},
};

constexpr Property kMachineEncryptionConfiguration[] = {
    {.name = "KmsDataKeyReusePeriodSeconds", .kind = Kind::integer},
    {.name = "KmsKeyId"},
    {.name = "Type", .required = true},
};

constexpr Property kMachineCloudWatchLogsLogGroup[] = {
    {.name = "LogGroupArn"},
};

constexpr Property kMachineLogDestination[] = {
    {.name = "CloudWatchLogsLogGroup", .kind = Kind::object, .members = kMachineCloudWatchLogsLogGroup},
};

constexpr Property kMachineLoggingConfiguration[] = {
    {.name = "Destinations", .kind = Kind::object, .form = Form::list, .members = kMachineLogDestination},
    {.name = "IncludeExecutionData", .kind = Kind::boolean},
    {.name = "Level"},
};

constexpr Property kMachineTracingConfiguration[] = {
    {.name = "Enabled", .kind = Kind::boolean},
};

constexpr Property kMachineProperties[] = {
    {.name = "StateMachineName", .update = Update::replaces},
    {.name = "Definition", .kind = Kind::json},
    {.name = "DefinitionS3Location", .kind = Kind::object, .members = kMachineS3Location},
    {.name = "DefinitionString"},
    {.name = "DefinitionSubstitutions", .kind = Kind::json, .form = Form::map},
    {.name = "EncryptionConfiguration", .kind = Kind::object, .members = kMachineEncryptionConfiguration},
    {.name = "LoggingConfiguration", .kind = Kind::object, .members = kMachineLoggingConfiguration},
    {.name = "RoleArn", .required = true},
    {.name = "StateMachineType", .update = Update::replaces},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
    {.name = "TracingConfiguration", .kind = Kind::object, .members = kMachineTracingConfiguration},
};

constexpr TagOperations kMachineTags = {
    .service = "states", .tag = "TagResource", .untag = "UntagResource", .resource_member = "ResourceArn"};

// Off, in the words of the operations, which take an absent member for no change.
json::Object no_machine_logging() {
  return json::Object{{"Level", "OFF"}, {"IncludeExecutionData", false}, {"Destinations", json::Array()}};
}

Task<json::Object> machine_request(Step& step, const json::Object& properties) {
  json::Object request =
      take(properties, {"RoleArn", "LoggingConfiguration", "TracingConfiguration", "EncryptionConfiguration"});
  request.set("Definition", co_await state_machine_definition(step, properties));
  co_return request;
}

Task<std::string> create_machine(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "StateMachineName", kMachineNameSizeMax);
  const std::string arn = step.arn("states", "stateMachine:" + name);
  if (properties.find("StateMachineName")) {
    co_await claim(
        step, name,
        {"states", "DescribeStateMachine", json::Object{{"StateMachineArn", arn}}, {"StateMachineDoesNotExist"}});
  }
  json::Object request = co_await machine_request(step, properties);
  request.set("Name", name);
  copy_member(request, properties, "StateMachineType", "Type");
  if (json::Array tags = tag_list(step, properties); !tags.empty()) request.set("Tags", std::move(tags));
  co_await step.call_or_null("states", "CreateStateMachine", std::move(request), {"StateMachineAlreadyExists"});
  co_return arn;
}

Task<std::string> update_machine(Step& step, std::string arn, const json::Object& before, const json::Object& after) {
  json::Object request = co_await machine_request(step, after);
  set_removed(request, before,
              {{"LoggingConfiguration", no_machine_logging()},
               {"TracingConfiguration", json::Object{{"Enabled", false}}},
               {"EncryptionConfiguration", json::Object{{"Type", "AWS_OWNED_KEY"}}}});
  request.set("StateMachineArn", arn);
  co_await step.call("states", "UpdateStateMachine", std::move(request));
  co_await change_tags(step, kMachineTags, arn, before, after);
  co_return arn;
}

Task<void> remove_machine(Step& step, std::string arn, const json::Object&) {
  co_await step.call_or_null("states", "DeleteStateMachine", json::Object{{"StateMachineArn", arn}},
                             {"StateMachineDoesNotExist"});
}

Task<json::Object> describe_machine(Step& step, std::string arn, const json::Object&) {
  const json::Value found =
      co_await step.call("states", "DescribeStateMachine", json::Object{{"StateMachineArn", arn}});
  co_return json::Object{{"Arn", arn},
                         {"Name", arn.substr(arn.rfind(':') + 1)},
                         {"StateMachineRevisionId", text_or(found.object(), "RevisionId", "INITIAL")}};
}

Task<json::Object> read_machine(Step& step, std::string arn) {
  const json::Object key{{"StateMachineArn", arn}};
  const json::Value found = co_await step.call("states", "DescribeStateMachine", key);
  json::Object result =
      take(found.object(), {"RoleArn", "LoggingConfiguration", "TracingConfiguration", "EncryptionConfiguration"});
  copy_member(result, found.object(), "Name", "StateMachineName");
  copy_member(result, found.object(), "Definition", "DefinitionString");
  copy_member(result, found.object(), "Type", "StateMachineType");
  const json::Value tags = co_await step.call("states", "ListTagsForResource", json::Object{{"ResourceArn", arn}});
  set_tags(result, tags.find("Tags"));
  co_return result;
}

Task<std::vector<std::string>> list_machines(Step& step) {
  return list_all(step, "states", "ListStateMachines", "StateMachines", "StateMachineArn");
}

}  // namespace

const ResourceType types::kStepFunctionsStateMachine = {
    .name = "AWS::StepFunctions::StateMachine",
    .properties = kMachineProperties,
    .create = create_machine,
    .update = update_machine,
    .remove = remove_machine,
    .attributes = describe_machine,
    .read = read_machine,
    .list = list_machines,
    .name_property = "StateMachineName",
};

}  // namespace tidemill::cloudformation
