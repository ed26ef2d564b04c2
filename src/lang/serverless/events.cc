// Which event makes what; what several of them share.
#include "lang/serverless/events.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "lang/serverless/role.h"

namespace tidemill::lang::serverless {
namespace {

using base::cat;

Event read_event(const Source& source, const std::string& name, const json::Value& value) {
  const json::Value* type = value.find("Type");
  const json::Value* properties = value.find("Properties");
  if (type == nullptr || !type->is_string())
    throw ResourceError(cat("Event with id [", name, "] is invalid. Resource dict is missing 'Type'."));
  if (properties != nullptr && !properties->is_object()) {
    throw ResourceError(cat("Event with id [", name, "] is invalid. 'Properties' is not a map."));
  }
  return {.name = name,
          .type = type->string(),
          .properties = properties == nullptr ? json::Object() : properties->object(),
          .id = source.id + name};
}

void make_event(Application& application, const Source& source, const Event& event, const Target& target,
                EventNeeds& needs) {
  const bool for_function = target.kind == Target::Kind::function;
  if (event.type == "Schedule" || event.type == "EventBridgeRule" || event.type == "CloudWatchEvent") {
    return make_rule(application, source, event, target);
  }
  if (event.type == "ScheduleV2") return make_schedule(application, source, event, target);
  if (for_function && (event.type == "SQS" || event.type == "Kinesis" || event.type == "DynamoDB")) {
    return make_mapping(application, source, event, target, needs);
  }
  if (for_function && event.type == "SNS") return make_topic_event(application, source, event, target, needs);
  if (for_function && event.type == "S3") return make_bucket_event(application, source, event, target);
  if (for_function && event.type == "CloudWatchLogs") return make_log_event(application, source, event, target);
  throw ResourceError(cat("events of type ", event.type, " are not supported."));
}

}  // namespace

const json::Value& Event::required(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) throw ResourceError(cat("Missing required property '", key, "'."));
  return *value;
}

void Event::allow_only(std::initializer_list<std::span<const std::string_view>> known) const {
  check_known({.id = id, .properties = properties}, type, known);
}

EventNeeds make_events(Application& application, const Source& source, const Target& target) {
  EventNeeds needs;
  const json::Value* events = source.find("Events");
  if (events == nullptr) return needs;
  if (!events->is_object()) throw ResourceError("Type of property 'Events' is invalid.");
  for (const auto& [name, value] : events->object()) {
    const Event event = read_event(source, name, value);
    try {
      make_event(application, source, event, target, needs);
    } catch (const ResourceError& error) {
      throw ResourceError(cat("Event with id [", event.id, "] is invalid. ", error.what()));
    }
  }
  return needs;
}

void add_permission(Application& application, const Source& source, const std::string& id, const Target& target,
                    std::string_view service, const json::Value* source_arn) {
  json::Object permission{{"Action", "lambda:InvokeFunction"},
                          {"FunctionName", target.name},
                          {"Principal", cat(service, ".amazonaws.com")}};
  set_if(permission, "SourceArn", source_arn);
  if (source_arn == nullptr) permission.set("SourceAccount", ref_to("AWS::AccountId"));
  application.add(source, id, "AWS::Lambda::Permission", std::move(permission));
}

std::string add_invoke_role(Application& application, const Source& source, const Event& event, const Target& target,
                            std::string_view service) {
  const bool for_function = target.kind == Target::Kind::function;
  json::Value statement = allow(for_function ? "lambda:InvokeFunction" : "states:StartExecution", target.arn);
  json::Object policy{{"PolicyName", cat(event.id, for_function ? "LambdaPolicy" : "StartExecutionPolicy")},
                      {"PolicyDocument", policy_document({std::move(statement)})}};
  json::Object role{{"AssumeRolePolicyDocument", trust_of(service)}, {"Policies", json::Array{std::move(policy)}}};
  // Schedules of the Scheduler have one of their own; roles of rules have that of whom they call.
  set_if(role, "PermissionsBoundary",
         event.type == "ScheduleV2" ? event.find("PermissionsBoundary") : source.find("PermissionsBoundary"));
  std::string id = event.id + "Role";
  application.add(source, id, "AWS::IAM::Role", std::move(role));
  return id;
}

}  // namespace tidemill::lang::serverless
