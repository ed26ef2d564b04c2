// State machines, simple tables, layers and nested applications.
#include <array>

#include "base/text.h"
#include "lang/serverless/events.h"
#include "lang/serverless/resources.h"
#include "lang/serverless/role.h"

namespace tidemill::lang::serverless {
namespace {

using base::cat;

constexpr std::string_view kStateMachine = "AWS::Serverless::StateMachine";

void add_definition(const Application& application, const Source& source, json::Object& machine) {
  const json::Value* definition = source.find("Definition");
  const json::Value* uri = source.find("DefinitionUri");
  if ((definition == nullptr) == (uri == nullptr)) {
    throw ResourceError("Specify either 'Definition' or 'DefinitionUri' property and not both.");
  }
  if (definition != nullptr) {
    machine.set("Definition", *definition);
  } else {
    machine.set("DefinitionS3Location", location_of(application, *uri, "DefinitionUri", {"Bucket", "Key", "Version"}));
  }
}

}  // namespace

void make_state_machine(Application& application, const Source& source) {
  static constexpr auto kKnown = std::to_array<std::string_view>(
      {"Definition", "DefinitionUri", "DefinitionSubstitutions", "Events", "Logging", "Name", "PermissionsBoundary",
       "Policies", "PropagateTags", "Role", "RolePath", "Tags", "Tracing", "Type"});
  check_known(source, kStateMachine, {kKnown});
  json::Object machine;
  add_definition(application, source, machine);
  set_if(machine, "DefinitionSubstitutions", source.find("DefinitionSubstitutions"));
  set_if(machine, "LoggingConfiguration", source.find("Logging"));
  set_if(machine, "StateMachineName", source.find("Name"));
  set_if(machine, "StateMachineType", source.find("Type"));
  set_if(machine, "TracingConfiguration", source.find("Tracing"));
  machine.set("Tags", tag_list(source.find("Tags"), "stateMachine:createdBy"));
  const json::Value* role = source.find("Role");
  if (role != nullptr && source.find("Policies") != nullptr) {
    throw ResourceError("Specify either 'Role' or 'Policies' (but not both at the same time) or neither of them");
  }
  machine.set("RoleArn", role == nullptr ? get_att(source.id + "Role", "Arn") : *role);
  application.add_main(source, source.id, "AWS::StepFunctions::StateMachine", std::move(machine));
  const EventNeeds needs = make_events(
      application, source,
      {.kind = Target::Kind::state_machine, .id = source.id, .name = ref_to(source.id), .arn = ref_to(source.id)});
  if (role != nullptr) return;
  RolePlan plan{
      .id = source.id + "Role", .principal = "states", .managed = needs.managed, .statements = needs.statements};
  const json::Value* tracing = source.find("Tracing");
  if (tracing != nullptr && is_true(application, tracing->find("Enabled")))
    plan.managed.emplace_back("AWSXRayDaemonWriteAccess");
  plan.tags = tag_list(source.find("Tags"), "stateMachine:createdBy");
  add_role(application, source, plan);
}

void make_simple_table(Application& application, const Source& source) {
  static constexpr auto kCopied =
      std::to_array<std::string_view>({"PointInTimeRecoverySpecification", "SSESpecification", "TableName"});
  static constexpr auto kKnown = std::to_array<std::string_view>({"PrimaryKey", "ProvisionedThroughput", "Tags"});
  check_known(source, "AWS::Serverless::SimpleTable", {kCopied, kKnown});
  json::Value name = "id", type = "String";
  if (const json::Value* key = source.find("PrimaryKey")) {
    const json::Value* given_name = key->find("Name");
    const json::Value* given_type = key->find("Type");
    if (given_name == nullptr || given_type == nullptr)
      throw ResourceError("'PrimaryKey' is missing required Property 'Name' or 'Type'.");
    name = *given_name;
    type = *given_type;
  }
  const std::string type_name = text_of(application, type, "Type");
  if (type_name != "String" && type_name != "Number" && type_name != "Binary") {
    throw ResourceError(cat("Invalid 'Type' \"", type_name, "\"."));
  }
  json::Object table{{"AttributeDefinitions",
                      json::Array{json::Object{{"AttributeName", name}, {"AttributeType", type_name.substr(0, 1)}}}},
                     {"KeySchema", json::Array{json::Object{{"AttributeName", name}, {"KeyType", "HASH"}}}}};
  const json::Value* throughput = source.find("ProvisionedThroughput");
  if (throughput != nullptr) {
    table.set("ProvisionedThroughput", *throughput);
  } else {
    table.set("BillingMode", "PAY_PER_REQUEST");
  }
  copy_members(table, source.properties, kCopied);
  if (const json::Value* tags = source.find("Tags")) {
    table.set("Tags", plain_tags(tags));  // tables get no tag of SAM's own
  }
  application.add_main(source, source.id, "AWS::DynamoDB::Table", std::move(table));
}

// A layer's version cannot change: another content is another resource, and the old one stays.
void make_layer(Application& application, const Source& source) {
  static constexpr auto kCopied =
      std::to_array<std::string_view>({"Description", "CompatibleRuntimes", "CompatibleArchitectures", "LicenseInfo"});
  static constexpr auto kKnown = std::to_array<std::string_view>({"LayerName", "ContentUri", "RetentionPolicy"});
  check_known(source, "AWS::Serverless::LayerVersion", {kCopied, kKnown});
  const json::Value* content = source.find("ContentUri");
  if (content == nullptr) throw ResourceError("Missing required property 'ContentUri'.");
  const json::Value* name = source.find("LayerName");
  json::Object layer{
      {"LayerName", name == nullptr ? json::Value(source.id) : *name},
      {"Content", location_of(application, *content, "ContentUri", {"S3Bucket", "S3Key", "S3ObjectVersion"})}};
  copy_members(layer, source.properties, kCopied);
  std::string policy = "Retain";
  if (const json::Value* given = source.find("RetentionPolicy")) {
    policy = text_of(application, *given, "RetentionPolicy");
    if (policy != "Retain" && policy != "Delete") {
      throw ResourceError("'RetentionPolicy' does not accept value other than 'Retain' and 'Delete'.");
    }
  }
  const std::string id = source.id + short_hash(layer);
  application.resources().erase(source.id);
  application.add_main(source, id, "AWS::Lambda::LayerVersion", std::move(layer));
  if (source.find("RetentionPolicy") != nullptr || source.attributes.find("DeletionPolicy") == nullptr) {
    application.set_attribute(id, "DeletionPolicy", policy);
  }
  application.rename(source.id, id);
}

void make_nested_application(Application& application, const Source& source) {
  static constexpr auto kCopied =
      std::to_array<std::string_view>({"NotificationARNs", "Parameters", "TimeoutInMinutes"});
  static constexpr auto kKnown = std::to_array<std::string_view>({"Location", "Tags"});
  check_known(source, "AWS::Serverless::Application", {kCopied, kKnown});
  const json::Value* location = source.find("Location");
  if (location == nullptr) throw ResourceError("Resource is missing the required [Location] property.");
  if (location->find("ApplicationId") != nullptr) {
    throw ResourceError("applications of the Serverless Application Repository are not supported.");
  }
  json::Object stack{{"TemplateURL", *location}};
  copy_members(stack, source.properties, kCopied);
  stack.set("Tags", tag_list(source.find("Tags"), "lambda:createdBy"));
  application.add_main(source, source.id, "AWS::CloudFormation::Stack", std::move(stack));
}

}  // namespace tidemill::lang::serverless
