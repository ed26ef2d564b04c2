// A mapping as its operations answer it. What is shown of an option that has its default, and what is left out, was
// recorded on AWS for each kind of source.
#include "base/text.h"
#include "services/lambda/event_source_mapping_filters.h"
#include "services/lambda/event_source_mapping_record.h"
#include "services/lambda/event_source_mapping_rules.h"

namespace tidemill::lambda {

namespace shapes = wire::lambda;

namespace {

using engine::Mapping;
using engine::MappingState;
using engine::StartingPosition;
using Shown = shapes::EventSourceMappingConfiguration;

std::string_view state_name(MappingState state) {
  switch (state) {
    case MappingState::creating: return "Creating";
    case MappingState::enabling: return "Enabling";
    case MappingState::enabled: return "Enabled";
    case MappingState::disabling: return "Disabling";
    case MappingState::disabled: return "Disabled";
    case MappingState::updating: return "Updating";
    case MappingState::deleting: return "Deleting";
  }
  return "Enabled";
}

std::string_view position_name(StartingPosition position) {
  switch (position) {
    case StartingPosition::latest: return shapes::EventSourcePosition::kLatest;
    case StartingPosition::trim_horizon: return shapes::EventSourcePosition::kTrimHorizon;
    case StartingPosition::at_timestamp: return shapes::EventSourcePosition::kAtTimestamp;
  }
  return shapes::EventSourcePosition::kTrimHorizon;
}

void describe_stream(const Mapping& mapping, Shown& shown) {
  shown.starting_position = position_name(mapping.starting_position);
  shown.starting_position_timestamp = mapping.starting_timestamp;
  shown.parallelization_factor = mapping.parallelization_factor;
  shown.maximum_record_age_in_seconds = mapping.record_age_seconds_max;
  shown.bisect_batch_on_function_error = mapping.bisect_on_error;
  shown.maximum_retry_attempts = mapping.retry_attempts_max;
  shown.tumbling_window_in_seconds = mapping.tumbling_window_seconds;
  auto& on_failure = shown.destination_config.emplace().on_failure.emplace();
  if (!mapping.failure_destination.empty()) on_failure.destination = mapping.failure_destination;
}

void describe_queue(const Mapping& mapping, Shown& shown) {
  if (mapping.concurrency_max) shown.scaling_config.emplace().maximum_concurrency = mapping.concurrency_max;
  if (mapping.pollers_min || mapping.pollers_max) {
    shown.provisioned_poller_config = {.minimum_pollers = mapping.pollers_min, .maximum_pollers = mapping.pollers_max};
  }
}

void describe_metrics(const Mapping& mapping, Shown& shown) {
  if (!mapping.count_events && !mapping.count_errors) return;
  auto& names = shown.metrics_config.emplace().metrics.emplace();
  if (mapping.count_events) names.emplace_back(shapes::EventSourceMappingMetric::kEventCount);
  if (mapping.count_errors) names.emplace_back(shapes::EventSourceMappingMetric::kErrorCount);
}

}  // namespace

Task<Shown> describe(store::Snapshot& snapshot, const Mapping& mapping) {
  const SourceRules& source = source_rules(mapping);
  Shown shown;
  shown.uuid = mapping.uuid;
  shown.batch_size = mapping.batch_size;
  shown.maximum_batching_window_in_seconds = mapping.batching_window_seconds;
  shown.event_source_arn = mapping.event_source_arn;
  shown.filter_criteria = describe_filters(mapping.filters);
  shown.function_arn = mapping.function_arn;
  shown.last_modified = mapping.last_modified;
  shown.state = state_name(mapping.state);
  shown.state_transition_reason = source.transition_reason;
  auto& responses = shown.function_response_types.emplace();
  if (mapping.report_item_failures) {
    responses.emplace_back(shapes::FunctionResponseType::kReportBatchItemFailures);
  }
  shown.event_source_mapping_arn = mapping_arn(mapping);
  describe_metrics(mapping, shown);
  if (source.is_stream()) describe_stream(mapping, shown);
  else describe_queue(mapping, shown);
  if (source.has_processing_result) {
    const auto result = co_await snapshot.get(engine::result_key(mapping.uuid));
    shown.last_processing_result = result.value_or(std::string(engine::kNothingProcessed));
  }
  co_return shown;
}

}  // namespace tidemill::lambda
