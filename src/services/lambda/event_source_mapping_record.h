// What the operations on event source mappings share: finding, showing and writing one, and the checks of its options.
#pragma once

#include <string>
#include <string_view>

#include "engine/mapping.h"
#include "services/lambda/event_source_mappings.h"
#include "store/store.h"
#include "wire/shapes/lambda.h"
#include "wire/unsupported.h"

namespace tidemill::lambda {

// The mapping of that UUID in the caller's account and region. Throws ResourceNotFoundException.
Task<engine::Mapping> require_mapping(store::Snapshot& snapshot, const wire::Context& context, std::string uuid);

// As every operation answers it, with LastProcessingResult as stored.
Task<wire::lambda::EventSourceMappingConfiguration> describe(store::Snapshot& snapshot, const engine::Mapping& mapping);

// Writes the mapping and wakes those who run it.
void save_mapping(store::Transaction& txn, const engine::Mapping& mapping);

// The function that a mapping's FunctionName means, as the mapping keeps it. Throws "Function does not exist".
Task<std::string> resolve_function(EventSourceMappings& mappings, const wire::Context& context, std::string name);

// Throws ResourceConflictException if another mapping has the same source and function.
Task<void> refuse_duplicate(store::Transaction& txn, const engine::Mapping& mapping);

// The moment of a change, as precise as the API tells it.
base::Time modification_time(const wire::Context& context);

// Throws if the age is set to less than a minute.
void check_record_age(const std::optional<int32_t>& seconds);

// Throws for each option that asks for what is not supported; its default asks for nothing. For create and update.
template <class Op>
void refuse_unsupported(const typename Op::Request& request) {
  const auto refuse = [](bool asked, std::string_view parameter) {
    if (asked) throw wire::unsupported_parameter(Op::info, parameter);
  };
  const auto& destinations = request.destination_config;
  const auto& filters = request.filter_criteria;
  refuse(request.parallelization_factor.value_or(1) != 1, "ParallelizationFactor");
  refuse(request.bisect_batch_on_function_error.value_or(false), "BisectBatchOnFunctionError");
  refuse(request.tumbling_window_in_seconds.value_or(0) != 0, "TumblingWindowInSeconds");
  refuse(request.function_response_types && !request.function_response_types->empty(), "FunctionResponseTypes");
  refuse(destinations && destinations->on_failure && !destinations->on_failure->destination.value_or("").empty(),
         "DestinationConfig");
  refuse(filters && filters->filters && !filters->filters->empty(), "FilterCriteria");
}

// Throws what AWS throws for a DestinationConfig that streams do not have.
void check_destinations(const std::optional<wire::lambda::DestinationConfig>& destinations);

}  // namespace tidemill::lambda
