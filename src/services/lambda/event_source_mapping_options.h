// The options that CreateEventSourceMapping and UpdateEventSourceMapping have in common: AWS's checks of them, and how
// they come into a mapping. What a source does not have is refused, whatever its value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/mappings/mapping.h"
#include "services/lambda/event_source_mapping_rules.h"
#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

// Both requests as seen from here.
struct MappingOptions {
  const std::optional<int32_t>& batch_size;
  const std::optional<int32_t>& maximum_batching_window_in_seconds;
  const std::optional<wire::lambda::FilterCriteria>& filter_criteria;
  const std::optional<std::vector<std::string>>& function_response_types;
  const std::optional<wire::lambda::MetricsConfig>& metrics_config;
  const std::optional<int32_t>& parallelization_factor;
  const std::optional<bool>& bisect_batch_on_function_error;
  const std::optional<int32_t>& maximum_retry_attempts;
  const std::optional<int32_t>& maximum_record_age_in_seconds;
  const std::optional<int32_t>& tumbling_window_in_seconds;
  const std::optional<wire::lambda::DestinationConfig>& destination_config;
  const std::optional<wire::lambda::ScalingConfig>& scaling_config;
  const std::optional<wire::lambda::ProvisionedPollerConfig>& provisioned_poller_config;
};

template <class Request>
MappingOptions mapping_options(const Request& request) {
  return {request.batch_size,
          request.maximum_batching_window_in_seconds,
          request.filter_criteria,
          request.function_response_types,
          request.metrics_config,
          request.parallelization_factor,
          request.bisect_batch_on_function_error,
          request.maximum_retry_attempts,
          request.maximum_record_age_in_seconds,
          request.tumbling_window_in_seconds,
          request.destination_config,
          request.scaling_config,
          request.provisioned_poller_config};
}

// Throws InvalidParameterValueException for an option that the source does not have, or whose value cannot be.
void check_options(const SourceRules& source, const MappingOptions& options);

// Takes over what is given; what is not stays as it is. An empty structure or list takes away what there was.
void apply_options(const MappingOptions& options, engine::Mapping& mapping);

// Throws InvalidParameterValueException for options that cannot be together, whether old or new.
void check_combination(const SourceRules& source, const engine::Mapping& mapping);

}  // namespace tidemill::lambda
