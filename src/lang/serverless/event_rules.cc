// Events that rules of EventBridge and schedules of its Scheduler make.
#include <array>
#include <optional>

#include "base/text.h"
#include "lang/serverless/events.h"
#include "lang/serverless/role.h"

namespace tidemill::lang::serverless {
namespace {

using base::cat;

constexpr auto kTargetProperties = std::to_array<std::string_view>({"DeadLetterConfig", "RetryPolicy", "Input"});
constexpr auto kScheduleProperties =
    std::to_array<std::string_view>({"Schedule", "Enabled", "State", "Name", "Description"});
constexpr auto kMachineScheduleProperties = std::to_array<std::string_view>({"RoleArn", "Target"});
constexpr auto kPatternProperties = std::to_array<std::string_view>(
    {"Pattern", "EventBusName", "Enabled", "State", "RuleName", "InputPath", "InputTransformer", "Target"});

// State as it is written, or as Enabled tells; nothing: as it is by default.
std::optional<json::Value> state_of(const Application& application, const Event& event) {
  const json::Value* enabled = event.find("Enabled");
  const json::Value* state = event.find("State");
  if (enabled != nullptr && state != nullptr)
    throw ResourceError("State and Enabled Properties cannot both be specified.");
  if (state != nullptr) return *state;
  if (enabled == nullptr) return std::nullopt;
  return is_true(application, enabled) ? "ENABLED" : "DISABLED";
}

// {"Arn": …} as it is; {"Type": "SQS"} makes a queue that the rule may send to.
json::Value dead_letters(Application& application, const Source& source, const Event& event, std::string_view service,
                         const json::Value& rule_arn) {
  const json::Value& given = event.required("DeadLetterConfig");
  const json::Value* arn = given.find("Arn");
  const json::Value* type = given.find("Type");
  if ((arn == nullptr) == (type == nullptr)) throw ResourceError("'DeadLetterConfig' requires one of Arn and Type.");
  if (arn != nullptr) return json::Object{{"Arn", *arn}};
  if (!type->is_string() || type->string() != "SQS")
    throw ResourceError("The only valid value for 'Type' property of DeadLetterConfig is 'SQS'");
  const json::Value* named = given.find("QueueLogicalId");
  const std::string queue = named == nullptr ? event.id + "Queue" : text_of(application, *named, "QueueLogicalId");
  application.add(source, queue, "AWS::SQS::Queue", {});
  json::Object statement{{"Effect", "Allow"},
                         {"Principal", json::Object{{"Service", cat(service, ".amazonaws.com")}}},
                         {"Action", "sqs:SendMessage"},
                         {"Resource", get_att(queue, "Arn")},
                         {"Condition", json::Object{{"ArnEquals", json::Object{{"aws:SourceArn", rule_arn}}}}}};
  application.add(
      source, event.id + "QueuePolicy", "AWS::SQS::QueuePolicy",
      {{"PolicyDocument", policy_document({std::move(statement)})}, {"Queues", json::Array{ref_to(queue)}}});
  return json::Object{{"Arn", get_att(queue, "Arn")}};
}

json::Value rule_target(Application& application, const Source& source, const Event& event, const Target& target) {
  static constexpr auto kCopied =
      std::to_array<std::string_view>({"Input", "InputPath", "InputTransformer", "RetryPolicy"});
  const bool for_function = target.kind == Target::Kind::function;
  const json::Value* named = event.find("Target");
  const json::Value* id = named == nullptr ? nullptr : named->find("Id");
  json::Object out{
      {"Arn", target.arn},
      {"Id", id == nullptr ? json::Value(cat(event.id, for_function ? "LambdaTarget" : "StepFunctionsTarget")) : *id}};
  copy_members(out, event.properties, kCopied);
  if (event.find("DeadLetterConfig") != nullptr) {
    out.set("DeadLetterConfig", dead_letters(application, source, event, "events", get_att(event.id, "Arn")));
  }
  if (const json::Value* role = event.find("RoleArn")) {
    out.set("RoleArn", *role);
  } else if (!for_function) {
    out.set("RoleArn", get_att(add_invoke_role(application, source, event, target, "events"), "Arn"));
  }
  return out;
}

}  // namespace

void make_rule(Application& application, const Source& source, const Event& event, const Target& target) {
  json::Object rule;
  if (event.type == "Schedule") {
    const bool for_machine = target.kind == Target::Kind::state_machine;
    event.allow_only({kTargetProperties, kScheduleProperties,
                      for_machine ? std::span<const std::string_view>(kMachineScheduleProperties)
                                  : std::span<const std::string_view>()});
    rule.set("ScheduleExpression", event.required("Schedule"));
    set_if(rule, "Name", event.find("Name"));
    set_if(rule, "Description", event.find("Description"));
  } else {
    event.allow_only({kTargetProperties, kPatternProperties});
    rule.set("EventPattern", event.required("Pattern"));
    set_if(rule, "EventBusName", event.find("EventBusName"));
    set_if(rule, "Name", event.find("RuleName"));
  }
  if (auto state = state_of(application, event)) rule.set("State", std::move(*state));
  rule.set("Targets", json::Array{rule_target(application, source, event, target)});
  application.add(source, event.id, "AWS::Events::Rule", std::move(rule));
  if (target.kind != Target::Kind::function) return;
  const json::Value arn = get_att(event.id, "Arn");
  add_permission(application, source, event.id + "Permission", target, "events", &arn);
}

void make_schedule(Application& application, const Source& source, const Event& event, const Target& target) {
  static constexpr auto kCopied =
      std::to_array<std::string_view>({"ScheduleExpression", "ScheduleExpressionTimezone", "GroupName", "StartDate",
                                       "EndDate", "Description", "KmsKeyArn", "State"});
  static constexpr auto kKnown =
      std::to_array<std::string_view>({"Name", "FlexibleTimeWindow", "Input", "RetryPolicy", "DeadLetterConfig",
                                       "RoleArn", "PermissionsBoundary", "OmitName"});
  event.allow_only({kCopied, kKnown});
  (void)event.required("ScheduleExpression");
  json::Object schedule;
  const json::Value* name = event.find("Name");
  if (name != nullptr) {
    schedule.set("Name", *name);
  } else if (!is_true(application, event.find("OmitName"))) {
    schedule.set("Name", event.id);
  }
  copy_members(schedule, event.properties, kCopied);
  const json::Value* window = event.find("FlexibleTimeWindow");
  schedule.set("FlexibleTimeWindow", window == nullptr ? json::Value(json::Object{{"Mode", "OFF"}}) : *window);
  const json::Value* role = event.find("RoleArn");
  json::Object out{
      {"Arn", target.arn},
      {"RoleArn",
       role != nullptr ? *role : get_att(add_invoke_role(application, source, event, target, "scheduler"), "Arn")}};
  set_if(out, "Input", event.find("Input"));
  set_if(out, "RetryPolicy", event.find("RetryPolicy"));
  if (const json::Value* given = event.find("DeadLetterConfig")) {
    // The Scheduler sends there with its role, which is given then.
    const json::Value* arn = given->find("Arn");
    if (arn == nullptr) throw ResourceError("'DeadLetterConfig' of ScheduleV2 events is supported with Arn only.");
    out.set("DeadLetterConfig", json::Object{{"Arn", *arn}});
  }
  schedule.set("Target", std::move(out));
  application.add(source, event.id, "AWS::Scheduler::Schedule", std::move(schedule));
}

}  // namespace tidemill::lang::serverless
