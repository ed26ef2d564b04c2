// AWS::Lambda::EventSourceMapping.
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

// How long pollers may take to start or to stop, with a batch on its way.
constexpr std::chrono::minutes kMappingSettlesMax{20};

constexpr Property kMappingOnFailure[] = {
    {.name = "Destination"},
};

constexpr Property kMappingDestinationConfig[] = {
    {.name = "OnFailure", .kind = Kind::object, .members = kMappingOnFailure},
};

constexpr Property kMappingFilter[] = {
    {.name = "Pattern"},
};

constexpr Property kMappingFilterCriteria[] = {
    {.name = "Filters", .kind = Kind::object, .form = Form::list, .members = kMappingFilter},
};

constexpr Property kMappingMetricsConfig[] = {
    {.name = "Metrics", .form = Form::list},
};

constexpr Property kMappingProvisionedPollerConfig[] = {
    {.name = "MaximumPollers", .kind = Kind::integer},
    {.name = "MinimumPollers", .kind = Kind::integer},
    {.name = "PollerGroupName"},
};

constexpr Property kMappingScalingConfig[] = {
    {.name = "MaximumConcurrency", .kind = Kind::integer},
};

constexpr Property kMappingProperties[] = {
    {.name = "EventSourceArn", .update = Update::replaces},
    {.name = "FunctionName", .required = true},
    {.name = "AmazonManagedKafkaEventSourceConfig", .kind = Kind::json, .update = Update::replaces},
    {.name = "BatchSize", .kind = Kind::integer},
    {.name = "BisectBatchOnFunctionError", .kind = Kind::boolean},
    {.name = "DestinationConfig", .kind = Kind::object, .members = kMappingDestinationConfig},
    {.name = "DocumentDBEventSourceConfig", .kind = Kind::json},
    {.name = "Enabled", .kind = Kind::boolean},
    {.name = "FilterCriteria", .kind = Kind::object, .members = kMappingFilterCriteria},
    {.name = "FunctionResponseTypes", .form = Form::list},
    {.name = "KmsKeyArn"},
    {.name = "LoggingConfig", .kind = Kind::json},
    {.name = "MaximumBatchingWindowInSeconds", .kind = Kind::integer},
    {.name = "MaximumRecordAgeInSeconds", .kind = Kind::integer},
    {.name = "MaximumRetryAttempts", .kind = Kind::integer},
    {.name = "MetricsConfig", .kind = Kind::object, .members = kMappingMetricsConfig},
    {.name = "ParallelizationFactor", .kind = Kind::integer},
    {.name = "ProvisionedPollerConfig", .kind = Kind::object, .members = kMappingProvisionedPollerConfig},
    {.name = "Queues", .form = Form::list},
    {.name = "ScalingConfig", .kind = Kind::object, .members = kMappingScalingConfig},
    {.name = "SelfManagedEventSource", .kind = Kind::json, .update = Update::replaces},
    {.name = "SelfManagedKafkaEventSourceConfig", .kind = Kind::json, .update = Update::replaces},
    {.name = "SourceAccessConfigurations", .kind = Kind::json},
    {.name = "StartingPosition", .update = Update::replaces},
    {.name = "StartingPositionTimestamp", .kind = Kind::number, .update = Update::replaces},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
    {.name = "Topics", .form = Form::list},
    {.name = "TumblingWindowInSeconds", .kind = Kind::integer},
};

constexpr TagOperations kMappingTags = {.service = "lambda",
                                        .tag = "TagResource",
                                        .untag = "UntagResource",
                                        .resource_member = "Resource",
                                        .form = TagForm::map};

Task<std::string> mapping_state(Step& step, std::string id) {
  const json::Value found = co_await step.call_or_null("lambda", "GetEventSourceMapping", json::Object{{"UUID", id}},
                                                       {"ResourceNotFoundException"});
  co_return found.is_null() ? std::string() : answered_text(found, "State");
}

Task<bool> mapping_is_settled(Step& step, std::string id) {
  const std::string state = co_await mapping_state(step, id);
  co_return state == "Enabled" || state == "Disabled" || state.empty();
}

Task<bool> mapping_is_gone(Step& step, std::string id) { co_return (co_await mapping_state(step, id)).empty(); }

Task<void> await_mapping(Step& step, std::string id) {
  if (!co_await step.wait_until([&] { return mapping_is_settled(step, id); }, kMappingSettlesMax)) {
    throw InvalidRequest("The event source mapping did not settle in time.");
  }
}

// The mapping that a try before this one has made; empty: there is none. A function has one of a source.
Task<std::string> mapping_made_before(Step& step, const json::Object& properties) {
  json::Object request = take(properties, {"FunctionName", "EventSourceArn"});
  const json::Value found = co_await step.call("lambda", "ListEventSourceMappings", std::move(request));
  for (const json::Value& one : list_of(found.object(), "EventSourceMappings")) co_return answered_text(one, "UUID");
  co_return std::string();
}

json::Object mapping_settings(const json::Object& properties) {
  json::Object result = properties;
  result.erase("Tags");
  result.erase("KmsKeyArn");
  copy_member(result, properties, "KmsKeyArn", "KMSKeyArn");
  return result;
}

Task<std::string> create_mapping(Step& step, const json::Object& properties) {
  json::Object request = mapping_settings(properties);
  request.set("Tags", tag_map(step, properties));
  const bool looked = step.memory().find("Looked") != nullptr;
  std::string id;
  if (looked) id = co_await mapping_made_before(step, properties);
  if (id.empty() && !looked && (co_await mapping_made_before(step, properties)).empty()) {
    // What stands there from now on is this step's.
    co_await step.remember(json::Object{{"Looked", true}});
  }
  if (id.empty()) {
    const json::Value made = co_await step.call("lambda", "CreateEventSourceMapping", std::move(request));
    id = answered_text(made, "UUID");
  }
  co_await step.made(id);
  co_await await_mapping(step, id);
  co_return id;
}

Task<std::string> update_mapping(Step& step, std::string id, const json::Object& before, const json::Object& after) {
  const json::Object old_settings = mapping_settings(before);
  json::Object request = mapping_settings(after);
  if (!json::equal(old_settings, request)) {
    set_removed(request, old_settings,
                {{"Enabled", true},
                 {"FilterCriteria", json::Object()},
                 {"DestinationConfig", json::Object{{"OnFailure", json::Object()}}},
                 {"MaximumBatchingWindowInSeconds", 0},
                 {"MaximumRecordAgeInSeconds", -1},
                 {"MaximumRetryAttempts", -1},
                 {"BisectBatchOnFunctionError", false},
                 {"ParallelizationFactor", 1},
                 {"TumblingWindowInSeconds", 0},
                 {"FunctionResponseTypes", json::Array()},
                 {"ScalingConfig", json::Object()},
                 {"MetricsConfig", json::Object{{"Metrics", json::Array()}}},
                 {"ProvisionedPollerConfig", json::Object()},
                 {"KMSKeyArn", ""}});
    if (before.find("BatchSize") && !after.find("BatchSize")) {
      const bool is_queue = text_of(after, "EventSourceArn").starts_with("arn:aws:sqs:");
      request.set("BatchSize", is_queue ? 10 : 100);
    }
    // What only a creation takes cannot differ here.
    for (const std::string_view name : {"EventSourceArn", "StartingPosition", "StartingPositionTimestamp", "Topics",
                                        "Queues", "SelfManagedEventSource"}) {
      request.erase(name);
    }
    request.set("UUID", id);
    co_await step.call("lambda", "UpdateEventSourceMapping", std::move(request));
    co_await await_mapping(step, id);
  }
  co_await change_tags(step, kMappingTags, step.arn("lambda", "event-source-mapping:" + id), before, after);
  co_return id;
}

Task<void> remove_mapping(Step& step, std::string id, const json::Object&) {
  const json::Value answer = co_await step.call_or_null("lambda", "DeleteEventSourceMapping",
                                                        json::Object{{"UUID", id}}, {"ResourceNotFoundException"});
  if (answer.is_null()) co_return;
  if (!co_await step.wait_until([&] { return mapping_is_gone(step, id); }, kMappingSettlesMax)) {
    throw InvalidRequest("The event source mapping was not deleted in time.");
  }
}

Task<json::Object> describe_mapping(Step& step, std::string id, const json::Object&) {
  co_return json::Object{{"Id", id}, {"EventSourceMappingArn", step.arn("lambda", "event-source-mapping:" + id)}};
}

}  // namespace

const ResourceType types::kLambdaEventSourceMapping = {
    .name = "AWS::Lambda::EventSourceMapping",
    .properties = kMappingProperties,
    .create = create_mapping,
    .update = update_mapping,
    .remove = remove_mapping,
    .attributes = describe_mapping,
};

}  // namespace tidemill::cloudformation
