// AWS::Pipes::Pipe.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"
#include "wire/arn.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kPipeNameSizeMax = 64;
constexpr std::chrono::minutes kPipeSettlesMax{30};

constexpr Property kPipePipeEnrichmentHttpParameters[] = {
    {.name = "HeaderParameters", .form = Form::map},
    {.name = "PathParameterValues", .form = Form::list},
    {.name = "QueryStringParameters", .form = Form::map},
};

constexpr Property kPipePipeEnrichmentParameters[] = {
    {.name = "HttpParameters", .kind = Kind::object, .members = kPipePipeEnrichmentHttpParameters},
    {.name = "InputTemplate"},
};

constexpr Property kPipeCloudwatchLogsLogDestination[] = {
    {.name = "LogGroupArn"},
};

constexpr Property kPipePipeLogConfiguration[] = {
    {.name = "CloudwatchLogsLogDestination", .kind = Kind::object, .members = kPipeCloudwatchLogsLogDestination},
    {.name = "FirehoseLogDestination", .kind = Kind::json},
    {.name = "IncludeExecutionData", .form = Form::list},
    {.name = "Level"},
    {.name = "S3LogDestination", .kind = Kind::json},
};

constexpr Property kPipeDeadLetterConfig[] = {
    {.name = "Arn"},
};

constexpr Property kPipePipeSourceDynamoDBStreamParameters[] = {
    {.name = "BatchSize", .kind = Kind::integer},
    {.name = "DeadLetterConfig", .kind = Kind::object, .members = kPipeDeadLetterConfig},
    {.name = "MaximumBatchingWindowInSeconds", .kind = Kind::integer},
    {.name = "MaximumRecordAgeInSeconds", .kind = Kind::integer},
    {.name = "MaximumRetryAttempts", .kind = Kind::integer},
    {.name = "OnPartialBatchItemFailure"},
    {.name = "ParallelizationFactor", .kind = Kind::integer},
    {.name = "StartingPosition", .required = true},
};

constexpr Property kPipeFilter[] = {
    {.name = "Pattern"},
};

constexpr Property kPipeFilterCriteria[] = {
    {.name = "Filters", .kind = Kind::object, .form = Form::list, .members = kPipeFilter},
};

constexpr Property kPipePipeSourceKinesisStreamParameters[] = {
    {.name = "BatchSize", .kind = Kind::integer},
    {.name = "DeadLetterConfig", .kind = Kind::object, .members = kPipeDeadLetterConfig},
    {.name = "MaximumBatchingWindowInSeconds", .kind = Kind::integer},
    {.name = "MaximumRecordAgeInSeconds", .kind = Kind::integer},
    {.name = "MaximumRetryAttempts", .kind = Kind::integer},
    {.name = "OnPartialBatchItemFailure"},
    {.name = "ParallelizationFactor", .kind = Kind::integer},
    {.name = "StartingPosition", .required = true},
    {.name = "StartingPositionTimestamp"},
};

constexpr Property kPipePipeSourceSqsQueueParameters[] = {
    {.name = "BatchSize", .kind = Kind::integer},
    {.name = "MaximumBatchingWindowInSeconds", .kind = Kind::integer},
};

constexpr Property kPipePipeSourceParameters[] = {
    {.name = "ActiveMQBrokerParameters", .kind = Kind::json},
    {.name = "DynamoDBStreamParameters", .kind = Kind::object, .members = kPipePipeSourceDynamoDBStreamParameters},
    {.name = "FilterCriteria", .kind = Kind::object, .members = kPipeFilterCriteria},
    {.name = "KinesisStreamParameters", .kind = Kind::object, .members = kPipePipeSourceKinesisStreamParameters},
    {.name = "ManagedStreamingKafkaParameters", .kind = Kind::json},
    {.name = "RabbitMQBrokerParameters", .kind = Kind::json},
    {.name = "SelfManagedKafkaParameters", .kind = Kind::json},
    {.name = "SqsQueueParameters", .kind = Kind::object, .members = kPipePipeSourceSqsQueueParameters},
};

constexpr Property kPipePipeTargetCloudWatchLogsParameters[] = {
    {.name = "LogStreamName"},
    {.name = "Timestamp"},
};

constexpr Property kPipePipeTargetEventBridgeEventBusParameters[] = {
    {.name = "DetailType"}, {.name = "EndpointId"}, {.name = "Resources", .form = Form::list},
    {.name = "Source"},     {.name = "Time"},
};

constexpr Property kPipePipeTargetKinesisStreamParameters[] = {
    {.name = "PartitionKey", .required = true},
};

constexpr Property kPipePipeTargetLambdaFunctionParameters[] = {
    {.name = "InvocationType"},
};

constexpr Property kPipePipeTargetSqsQueueParameters[] = {
    {.name = "MessageDeduplicationId"},
    {.name = "MessageGroupId"},
};

constexpr Property kPipePipeTargetParameters[] = {
    {.name = "BatchJobParameters", .kind = Kind::json},
    {.name = "CloudWatchLogsParameters", .kind = Kind::object, .members = kPipePipeTargetCloudWatchLogsParameters},
    {.name = "EcsTaskParameters", .kind = Kind::json},
    {.name = "EventBridgeEventBusParameters",
     .kind = Kind::object,
     .members = kPipePipeTargetEventBridgeEventBusParameters},
    {.name = "HttpParameters", .kind = Kind::object, .members = kPipePipeEnrichmentHttpParameters},
    {.name = "InputTemplate"},
    {.name = "KinesisStreamParameters", .kind = Kind::object, .members = kPipePipeTargetKinesisStreamParameters},
    {.name = "LambdaFunctionParameters", .kind = Kind::object, .members = kPipePipeTargetLambdaFunctionParameters},
    {.name = "RedshiftDataParameters", .kind = Kind::json},
    {.name = "SageMakerPipelineParameters", .kind = Kind::json},
    {.name = "SqsQueueParameters", .kind = Kind::object, .members = kPipePipeTargetSqsQueueParameters},
    {.name = "StepFunctionStateMachineParameters",
     .kind = Kind::object,
     .members = kPipePipeTargetLambdaFunctionParameters},
    {.name = "TimestreamParameters", .kind = Kind::json},
};

constexpr Property kPipeProperties[] = {
    {.name = "Name", .update = Update::replaces},
    {.name = "Description"},
    {.name = "DesiredState"},
    {.name = "Enrichment"},
    {.name = "EnrichmentParameters", .kind = Kind::object, .members = kPipePipeEnrichmentParameters},
    {.name = "KmsKeyIdentifier"},
    {.name = "LogConfiguration", .kind = Kind::object, .members = kPipePipeLogConfiguration},
    {.name = "RoleArn", .required = true},
    {.name = "Source", .required = true, .update = Update::replaces},
    {.name = "SourceParameters", .kind = Kind::object, .update = Update::perhaps, .members = kPipePipeSourceParameters},
    {.name = "Tags", .form = Form::map},
    {.name = "Target", .required = true},
    {.name = "TargetParameters", .kind = Kind::object, .members = kPipePipeTargetParameters},
};

constexpr TagOperations kPipeTags = {.service = "pipes",
                                     .tag = "TagResource",
                                     .untag = "UntagResource",
                                     .resource_member = "resourceArn",
                                     .tags_member = "tags",
                                     .keys_member = "tagKeys",
                                     .form = TagForm::map};

// Where a source begins is said once.
constexpr std::string_view kStreamSources[] = {"KinesisStreamParameters", "DynamoDBStreamParameters"};

Task<std::string> pipe_state(Step& step, std::string name) {
  const json::Value found =
      co_await step.call_or_null("pipes", "DescribePipe", json::Object{{"Name", name}}, {"NotFoundException"});
  if (found.is_null()) co_return std::string();
  const std::string state = text_of(found.object(), "CurrentState");
  if (state.ends_with("_FAILED")) {
    throw InvalidRequest(cat("The pipe is ", state, ": ", text_of(found.object(), "StateReason")));
  }
  co_return state;
}

Task<bool> pipe_is_settled(Step& step, std::string name) {
  const std::string state = co_await pipe_state(step, name);
  co_return state == "RUNNING" || state == "STOPPED" || state.empty();
}

Task<bool> pipe_is_gone(Step& step, std::string name) { co_return (co_await pipe_state(step, name)).empty(); }

Task<void> await_pipe(Step& step, std::string name) {
  if (!co_await step.wait_until([&] { return pipe_is_settled(step, name); }, kPipeSettlesMax)) {
    throw InvalidRequest(cat("Pipe ", name, " did not settle in time."));
  }
}

Task<std::string> create_pipe(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "Name", kPipeNameSizeMax);
  if (properties.find("Name")) {
    co_await claim(step, name, {"pipes", "DescribePipe", json::Object{{"Name", name}}, {"NotFoundException"}});
  }
  json::Object request = properties;
  request.set("Name", name);
  request.erase("Tags");
  if (json::Object tags = tag_map(step, properties); !tags.empty()) request.set("Tags", std::move(tags));
  co_await step.call_or_null("pipes", "CreatePipe", std::move(request), {"ConflictException"});
  co_await step.made(name);
  co_await await_pipe(step, name);
  co_return name;
}

// UpdatePipe keeps what it is not told: what goes is told as what it is without it.
json::Object source_changes(const json::Object& before, const json::Object& after) {
  json::Object parameters = object_of(after, "SourceParameters");
  set_removed(parameters, object_of(before, "SourceParameters"),
              {{"FilterCriteria", json::Object{{"Filters", json::Array()}}}, {"SqsQueueParameters", json::Object()}});
  for (const std::string_view source : kStreamSources) {
    json::Value* of_source = parameters.find(source);
    if (!of_source) continue;
    of_source->object().erase("StartingPosition");
    of_source->object().erase("StartingPositionTimestamp");
  }
  return parameters;
}

// Of targets that are told the same.
std::string kind_of_target(const json::Object& properties) {
  const auto arn = wire::parse_arn(text_of(properties, "Target"));
  if (!arn) return "";
  std::string kind(arn->service);
  if (kind == "events") kind += arn->resource.substr(0, arn->resource.find('/'));  // a bus, or an API destination
  return kind;
}

json::Object target_changes(const json::Object& before, const json::Object& after) {
  json::Object parameters = object_of(after, "TargetParameters");
  const json::Object old = object_of(before, "TargetParameters");
  set_removed(parameters, old, {{"InputTemplate", ""}});
  // What a target of another kind was told goes with that one, and this one must not be told it.
  if (kind_of_target(before) != kind_of_target(after)) return parameters;
  set_removed(parameters, old,
              {{"CloudWatchLogsParameters", json::Object()},
               {"EventBridgeEventBusParameters", json::Object()},
               {"HttpParameters", json::Object()},
               {"LambdaFunctionParameters", json::Object()},
               {"SqsQueueParameters", json::Object()},
               {"StepFunctionStateMachineParameters", json::Object()}});
  return parameters;
}

Task<std::string> update_pipe(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  json::Object request = after;
  for (const std::string_view only_new : {"Tags", "Source"}) request.erase(only_new);
  request.set("SourceParameters", source_changes(before, after));
  if (json::Object target = target_changes(before, after); !target.empty()) {
    request.set("TargetParameters", std::move(target));
  }
  set_removed(request, before,
              {{"Description", ""},
               {"DesiredState", "RUNNING"},
               {"Enrichment", ""},
               {"EnrichmentParameters", json::Object()},
               {"LogConfiguration", json::Object{{"Level", "OFF"}}}});
  request.set("Name", name);
  co_await step.call("pipes", "UpdatePipe", std::move(request));
  co_await await_pipe(step, name);
  co_await change_tags(step, kPipeTags, step.arn("pipes", cat("pipe/", name)), before, after);
  co_return name;
}

bool pipe_is_replaced(const json::Object& before, const json::Object& after) {
  const json::Object old_source = object_of(before, "SourceParameters");
  const json::Object new_source = object_of(after, "SourceParameters");
  for (const std::string_view source : kStreamSources) {
    if (differ(object_of(old_source, source), object_of(new_source, source),
               {"StartingPosition", "StartingPositionTimestamp"})) {
      return true;
    }
  }
  return false;
}

Task<void> remove_pipe(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("pipes", "DeletePipe", json::Object{{"Name", name}},
                             {"NotFoundException", "ConflictException"});
  if (!co_await step.wait_until([&] { return pipe_is_gone(step, name); }, kPipeSettlesMax)) {
    throw InvalidRequest(cat("Pipe ", name, " was not deleted in time."));
  }
}

Task<json::Object> describe_pipe(Step& step, std::string name, const json::Object&) {
  const json::Value found = co_await step.call("pipes", "DescribePipe", json::Object{{"Name", name}});
  co_return take(found.object(), {"Arn", "CurrentState", "StateReason", "CreationTime", "LastModifiedTime"});
}

}  // namespace

const ResourceType types::kPipesPipe = {
    .name = "AWS::Pipes::Pipe",
    .properties = kPipeProperties,
    .create = create_pipe,
    .update = update_pipe,
    .remove = remove_pipe,
    .attributes = describe_pipe,
    .replaces = pipe_is_replaced,
    .name_property = "Name",
};

}  // namespace tidemill::cloudformation
