#include "services/pipes/target.h"

#include "base/text.h"
#include "services/pipes/errors.h"
#include "services/pipes/input.h"
#include "services/pipes/source.h"
#include "wire/arn.h"

namespace tidemill::pipes {
namespace {

using base::cat;
namespace invocation = shapes::PipeTargetInvocationType;

constexpr std::string_view kFifoSuffix = ".fifo";
constexpr int kAnyBatch = 10'000;  // as much as a source gives

// User guide, "Supported batchable targets".
constexpr auto kTargets = std::to_array<TargetRules>({
    {TargetKind::function, "lambda", "function:", kAnyBatch, true},
    {TargetKind::state_machine, "states", "stateMachine:", kAnyBatch, true},
    {TargetKind::queue, "sqs", "", 10, false},
    {TargetKind::topic, "sns", "", 10, false},
    {TargetKind::data_stream, "kinesis", "stream/", 500, false},
    {TargetKind::event_bus, "events", "event-bus/", 10, true},
    {TargetKind::log_group, "logs", "log-group:", 10'000, false},
    {TargetKind::api_destination, "events", "api-destination/", 1, false},
});

void check_operation(const wire::Registry& registry, std::string_view parameter, std::string_view service,
                     std::string_view operation) {
  const auto* found = registry.find(service, operation);
  if (found && found->info.unsupported_reason.empty()) return;
  throw not_supported(parameter, cat("the operation ", service, ":", operation));
}

void check_state_machine(const wire::Registry& registry, std::string_view parameter, bool waits) {
  check_operation(registry, parameter, "states", waits ? "StartSyncExecution" : "StartExecution");
}

// A parameter that is a path as a whole takes its value from the event.
void check_value(std::string_view parameter, const std::optional<std::string>& value) {
  if (!value) return;
  try {
    (void)ParameterValue(*value);
  } catch (const lang::inputs::InputError& error) {
    throw invalid(parameter, error.what());
  }
}

void check_http(std::string_view parameter, const std::optional<shapes::PipeHttpParameters>& http) {
  if (!http) return;
  if (http->path_parameter_values) {
    for (const std::string& value : *http->path_parameter_values)
      check_value(cat(parameter, ".PathParameterValues"), value);
  }
  const auto check_map = [&](const std::optional<std::map<std::string, std::string>>& map, std::string_view name) {
    if (!map) return;
    for (const auto& [key, value] : *map) check_value(cat(parameter, ".", name), value);
  };
  check_map(http->header_parameters, "HeaderParameters");
  check_map(http->query_string_parameters, "QueryStringParameters");
}

void check_template(std::string_view parameter, const std::optional<std::string>& text) {
  if (!text || text->empty()) return;
  try {
    (void)PipeTemplate(*text);
  } catch (const lang::inputs::InputError& error) {
    throw invalid(parameter, error.what());
  }
}

void check_belongs(const TargetRules& rules, const shapes::PipeTargetParameters& parameters) {
  const auto check = [&](bool is_given, TargetKind kind, std::string_view name) {
    if (is_given && rules.kind != kind)
      throw invalid(cat("TargetParameters.", name), "Invalid target parameter provided for target.");
  };
  check(parameters.lambda_function_parameters.has_value(), TargetKind::function, "LambdaFunctionParameters");
  check(parameters.step_function_state_machine_parameters.has_value(), TargetKind::state_machine,
        "StepFunctionStateMachineParameters");
  check(parameters.sqs_queue_parameters.has_value(), TargetKind::queue, "SqsQueueParameters");
  check(parameters.kinesis_stream_parameters.has_value(), TargetKind::data_stream, "KinesisStreamParameters");
  check(parameters.event_bridge_event_bus_parameters.has_value(), TargetKind::event_bus,
        "EventBridgeEventBusParameters");
  check(parameters.cloud_watch_logs_parameters.has_value(), TargetKind::log_group, "CloudWatchLogsParameters");
  check(parameters.http_parameters.has_value(), TargetKind::api_destination, "HttpParameters");
}

void check_queue(const shapes::CreatePipeInput& settings, const shapes::PipeTargetParameters& parameters) {
  constexpr std::string_view kGroup = "TargetParameters.SqsQueueParameters.MessageGroupId";
  const auto given = parameters.sqs_queue_parameters.value_or(shapes::PipeTargetSqsQueueParameters{});
  check_value(kGroup, given.message_group_id);
  check_value("TargetParameters.SqsQueueParameters.MessageDeduplicationId", given.message_deduplication_id);
  if (settings.target.ends_with(kFifoSuffix) && given.message_group_id.value_or("").empty()) throw missing(kGroup);
}

void check_event_bus(const shapes::PipeTargetParameters& parameters) {
  constexpr std::string_view kName = "TargetParameters.EventBridgeEventBusParameters.";
  const auto given =
      parameters.event_bridge_event_bus_parameters.value_or(shapes::PipeTargetEventBridgeEventBusParameters{});
  check_value(cat(kName, "DetailType"), given.detail_type);
  check_value(cat(kName, "Source"), given.source);
  check_value(cat(kName, "Time"), given.time);
  if (given.source && given.source->starts_with("aws."))
    throw invalid(cat(kName, "Source"), "It must not begin with aws.");
  if (!given.resources) return;
  for (const std::string& resource : *given.resources) check_value(cat(kName, "Resources"), resource);
}

void check_kind(const wire::Registry& registry, const TargetRules& rules, const shapes::CreatePipeInput& settings,
                const shapes::PipeTargetParameters& parameters) {
  switch (rules.kind) {
    case TargetKind::queue:
      return check_queue(settings, parameters);
    case TargetKind::topic:
      if (!settings.target.ends_with(kFifoSuffix)) return;
      throw invalid("Target", "SNS FIFO topics are not supported as a pipe target.");
    case TargetKind::data_stream: {
      constexpr std::string_view kKey = "TargetParameters.KinesisStreamParameters.PartitionKey";
      if (!parameters.kinesis_stream_parameters) throw missing("TargetParameters.KinesisStreamParameters");
      return check_value(kKey, parameters.kinesis_stream_parameters->partition_key);
    }
    case TargetKind::event_bus:
      return check_event_bus(parameters);
    case TargetKind::log_group: {
      const auto given = parameters.cloud_watch_logs_parameters.value_or(shapes::PipeTargetCloudWatchLogsParameters{});
      check_value("TargetParameters.CloudWatchLogsParameters.LogStreamName", given.log_stream_name);
      return check_value("TargetParameters.CloudWatchLogsParameters.Timestamp", given.timestamp);
    }
    case TargetKind::state_machine:
      return check_state_machine(registry, "Target", !is_asynchronous(settings));
    case TargetKind::api_destination:
      return check_http("TargetParameters.HttpParameters", parameters.http_parameters);
    case TargetKind::function:
      return;
  }
}

}  // namespace

const TargetRules& target_rules(std::string_view text) {
  const auto arn = wire::parse_arn(text);
  if (!arn || arn->partition != wire::kPartition) throw invalid("Target", "The ARN is not valid.");
  for (const TargetRules& rules : kTargets) {
    if (arn->service == rules.service && arn->resource.starts_with(rules.resource_part)) return rules;
  }
  throw not_supported("Target", cat("the target ", text));
}

bool is_asynchronous(const shapes::CreatePipeInput& settings) {
  if (!settings.target_parameters) return false;
  const auto& parameters = *settings.target_parameters;
  const auto is_told = [](const auto& of) { return of && of->invocation_type == invocation::kFireAndForget; };
  return is_told(parameters.lambda_function_parameters) || is_told(parameters.step_function_state_machine_parameters);
}

bool is_api_destination(std::string_view text) {
  const auto arn = wire::parse_arn_of("events", text);
  return arn && arn->resource.starts_with("api-destination/");
}

int batch_max(const shapes::CreatePipeInput& settings) {
  const bool is_single = has_enrichment(settings) && is_api_destination(*settings.enrichment);
  return is_single ? 1 : target_rules(settings.target).batch_max;
}

void check_target(const wire::Registry& registry, const shapes::CreatePipeInput& settings) {
  const TargetRules& rules = target_rules(settings.target);
  const auto parameters = settings.target_parameters.value_or(shapes::PipeTargetParameters{});
  check_belongs(rules, parameters);
  check_template("TargetParameters.InputTemplate", parameters.input_template);
  check_kind(registry, rules, settings, parameters);
  check_batch_size(settings, batch_max(settings));
}

void check_enrichment(const wire::Registry& registry, const shapes::CreatePipeInput& settings) {
  if (settings.enrichment_parameters) {
    check_template("EnrichmentParameters.InputTemplate", settings.enrichment_parameters->input_template);
  }
  const auto http = settings.enrichment_parameters ? settings.enrichment_parameters->http_parameters : std::nullopt;
  const bool is_destination = has_enrichment(settings) && is_api_destination(*settings.enrichment);
  if (http && !is_destination)
    throw invalid("EnrichmentParameters.HttpParameters", "It does not apply to the enrichment.");
  if (is_destination) return check_http("EnrichmentParameters.HttpParameters", http);
  if (!has_enrichment(settings)) return;
  const auto arn = wire::parse_arn(*settings.enrichment);
  if (arn && arn->service == "lambda") return;
  if (arn && arn->service == "states") return check_state_machine(registry, "Enrichment", true);
  const bool is_gateway = arn && arn->service == "execute-api";
  if (!is_gateway) throw invalid("Enrichment", "Invalid pipe enrichment.");
  throw not_supported("Enrichment", cat("the enrichment ", *settings.enrichment));
}

}  // namespace tidemill::pipes
