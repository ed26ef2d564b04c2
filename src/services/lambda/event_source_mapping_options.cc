#include "services/lambda/event_source_mapping_options.h"

#include <algorithm>

#include "services/lambda/errors.h"
#include "services/lambda/event_source_mapping_destination.h"
#include "services/lambda/event_source_mapping_filters.h"

namespace tidemill::lambda {

namespace {

using engine::Mapping;
namespace metrics = shapes::EventSourceMappingMetric;

// The least age that may be asked for, beside -1.
constexpr int kRecordAgeSecondsMin = 60;
// Queues with larger batches need a window: that many messages come with one receive.
constexpr int kQueueBatchWithoutWindowMax = 10;
// ProvisionedPollerConfig of queues; the model's ranges are those of all sources.
constexpr int kQueuePollersMin = 2;
constexpr int kQueuePollersMax = 10'000;

[[noreturn]] void refuse(std::string_view message) {
  throw errors::invalid_parameter_value_exception(std::string(message));
}

bool names_metric(const std::optional<shapes::MetricsConfig>& config, std::string_view metric) {
  return config && config->metrics && std::ranges::find(*config->metrics, metric) != config->metrics->end();
}

void check_record_age(const std::optional<int32_t>& seconds) {
  if (!seconds || *seconds == -1 || *seconds >= kRecordAgeSecondsMin) return;
  refuse("MaximumRecordAgeInSeconds must be either -1 (forever) or between 60 and 604800 (inclusive)");
}

void check_queue_pollers(const std::optional<shapes::ProvisionedPollerConfig>& config) {
  if (!config) return;
  for (const std::optional<int32_t>& pollers : {config->minimum_pollers, config->maximum_pollers}) {
    if (pollers && (*pollers < kQueuePollersMin || *pollers > kQueuePollersMax)) {
      refuse("MinimumPollers must be between 2 and 200 and MaximumPollers between 2 and 10000 for SQS event sources.");
    }
  }
}

void check_queue(const Mapping& mapping) {
  const int window = mapping.batching_window_seconds;
  if (is_fifo(mapping.event_source_arn) && window > 0) refuse("Batching window is not supported for FIFO queues");
  if (mapping.batch_size > kQueueBatchWithoutWindowMax && window == 0) {
    refuse("Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10");
  }
  if (mapping.concurrency_max && (mapping.pollers_min || mapping.pollers_max)) {
    refuse("ScalingConfig and ProvisionedPollerConfig cannot be used together.");
  }
  if (mapping.pollers_min && mapping.pollers_max && *mapping.pollers_min > *mapping.pollers_max) {
    refuse("MinimumPollers must be less than or equal to MaximumPollers.");
  }
}

}  // namespace

void check_options(const SourceRules& source, const MappingOptions& options) {
  namespace rules = option_rules;
  const auto& destinations = options.destination_config;
  check_has(source, rules::kOnSuccess, destinations && destinations->on_success);
  check_has(source, rules::kDestinationConfig, destinations && destinations->on_failure);
  check_has(source, rules::kParallelizationFactor, options.parallelization_factor.has_value());
  check_has(source, rules::kBisectBatchOnFunctionError, options.bisect_batch_on_function_error.has_value());
  check_has(source, rules::kMaximumRetryAttempts, options.maximum_retry_attempts.has_value());
  check_has(source, rules::kMaximumRecordAgeInSeconds, options.maximum_record_age_in_seconds.has_value());
  check_has(source, rules::kTumblingWindowInSeconds, options.tumbling_window_in_seconds.has_value());
  check_has(source, rules::kScalingConfig, options.scaling_config.has_value());
  check_has(source, rules::kProvisionedPollerConfig, options.provisioned_poller_config.has_value());
  check_has(source, rules::kKafkaMetrics, names_metric(options.metrics_config, metrics::kKafkaMetrics));

  check_record_age(options.maximum_record_age_in_seconds);
  check_queue_pollers(options.provisioned_poller_config);
  check_failure_destination(destinations);
  check_filters(options.filter_criteria);
}

void apply_options(const MappingOptions& options, Mapping& mapping) {
  const auto take = [](auto& kept, const auto& given) {
    if (given) kept = *given;
  };
  take(mapping.batch_size, options.batch_size);
  take(mapping.batching_window_seconds, options.maximum_batching_window_in_seconds);
  take(mapping.parallelization_factor, options.parallelization_factor);
  take(mapping.bisect_on_error, options.bisect_batch_on_function_error);
  take(mapping.retry_attempts_max, options.maximum_retry_attempts);
  take(mapping.record_age_seconds_max, options.maximum_record_age_in_seconds);
  take(mapping.tumbling_window_seconds, options.tumbling_window_in_seconds);
  if (options.function_response_types) mapping.report_item_failures = !options.function_response_types->empty();
  if (options.filter_criteria) mapping.filters = filters_of(*options.filter_criteria);
  if (options.destination_config) mapping.failure_destination = failure_destination_of(*options.destination_config);
  if (options.metrics_config) {
    mapping.count_events = names_metric(options.metrics_config, metrics::kEventCount);
    mapping.count_errors = names_metric(options.metrics_config, metrics::kErrorCount);
  }
  if (options.scaling_config) mapping.concurrency_max = options.scaling_config->maximum_concurrency;
  if (options.provisioned_poller_config) {
    mapping.pollers_min = options.provisioned_poller_config->minimum_pollers;
    mapping.pollers_max = options.provisioned_poller_config->maximum_pollers;
  }
}

void check_combination(const SourceRules& source, const Mapping& mapping) {
  if (source.kind == kQueue) check_queue(mapping);
  if (mapping.tumbling_window_seconds > 0 && mapping.parallelization_factor > 1) {
    refuse("ParallelizationFactor must be 1 if TumblingWindowInSeconds is greater than 0.");
  }
}

}  // namespace tidemill::lambda
