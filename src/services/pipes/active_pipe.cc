#include "services/pipes/active_pipe.h"

#include "services/pipes/source.h"
#include "wire/arn.h"

namespace tidemill::pipes {
namespace {

constexpr std::string_view kLogGroup = "log-group:";
constexpr std::string_view kFifoSuffix = ".fifo";

std::optional<PipeTemplate> template_of(const std::optional<std::string>& text) {
  return text && !text->empty() ? std::optional(PipeTemplate(*text)) : std::nullopt;
}

std::optional<ParameterValue> value_of(const std::optional<std::string>& text) {
  return text && !text->empty() ? std::optional(ParameterValue(*text)) : std::nullopt;
}

TargetValues values_of(const shapes::PipeTargetParameters& parameters) {
  TargetValues values;
  if (const auto& queue = parameters.sqs_queue_parameters) {
    values.group = value_of(queue->message_group_id);
    values.deduplication = value_of(queue->message_deduplication_id);
  }
  if (const auto& stream = parameters.kinesis_stream_parameters) values.partition_key = value_of(stream->partition_key);
  if (const auto& bus = parameters.event_bridge_event_bus_parameters) {
    values.detail_type = value_of(bus->detail_type);
    values.source = value_of(bus->source);
    values.time = value_of(bus->time);
    for (const std::string& resource : bus->resources.value_or(std::vector<std::string>())) {
      values.resources.emplace_back(resource);
    }
  }
  if (const auto& logs = parameters.cloud_watch_logs_parameters) {
    values.log_stream = value_of(logs->log_stream_name);
    values.timestamp = value_of(logs->timestamp);
  }
  values.http = http_values(parameters.http_parameters);
  return values;
}

engine::FunctionLogs::Name log_name(const Pipe& pipe) {
  const auto arn =
      wire::parse_arn(pipe.settings.log_configuration->cloudwatch_logs_log_destination->log_group_arn).value();
  std::string_view group = arn.resource.substr(kLogGroup.size());
  if (group.ends_with(":*")) group.remove_suffix(2);
  return {std::string(arn.account), std::string(arn.region), std::string(group), pipe.address.name};
}

}  // namespace

bool has_log(const Pipe& pipe) {
  const auto& configuration = pipe.settings.log_configuration;
  if (!configuration || configuration->level == shapes::LogLevel::kOff) return false;
  if (!configuration->cloudwatch_logs_log_destination) return false;
  const auto group = wire::parse_arn(configuration->cloudwatch_logs_log_destination->log_group_arn);
  return group && group->account == pipe.address.account && group->region == pipe.address.region;
}

ActivePipePtr activate(Pipe pipe, std::string encoded, engine::FunctionLogs* logs) {
  const TargetRules& target = target_rules(pipe.settings.target);
  auto active = std::make_shared<ActivePipe>(ActivePipe{.pipe = std::move(pipe), .target = target});
  const shapes::CreatePipeInput& settings = active->pipe.settings;
  if (settings.enrichment_parameters) {
    active->enrichment_template = template_of(settings.enrichment_parameters->input_template);
    active->enrichment_http = http_values(settings.enrichment_parameters->http_parameters);
  }
  if (settings.target_parameters) {
    active->target_template = template_of(settings.target_parameters->input_template);
    active->values = values_of(*settings.target_parameters);
  }
  active->in_order = !is_queue(settings) || settings.source.ends_with(kFifoSuffix);
  active->encoded = std::move(encoded);
  if (logs && has_log(active->pipe)) active->log = logs->open(log_name(active->pipe));
  return active;
}

}  // namespace tidemill::pipes
