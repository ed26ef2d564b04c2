// What the operations on event source mappings share: finding, showing and writing one, and its function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/mappings/mapping.h"
#include "services/lambda/event_source_mappings.h"
#include "store/store.h"
#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

// The mapping of that UUID in the caller's account and region. Throws ResourceNotFoundException.
Task<engine::Mapping> require_mapping(store::Snapshot& snapshot, const wire::Context& context, std::string uuid);

// As every operation answers it, with LastProcessingResult as stored: each kind of source shows the options that it has.
// Defined in event_source_mapping_description.cc.
Task<wire::lambda::EventSourceMappingConfiguration> describe(store::Snapshot& snapshot, const engine::Mapping& mapping);

// arn:aws:lambda:REGION:ACCOUNT:event-source-mapping:UUID
[[nodiscard]] std::string mapping_arn(const engine::Mapping& mapping);
// The UUID in such an ARN of the caller's account and region; nothing if it is none.
[[nodiscard]] std::optional<std::string> mapping_of_arn(const wire::Context& context, std::string_view arn);

// Writes the mapping and wakes those who run it.
void save_mapping(store::Transaction& txn, const engine::Mapping& mapping);

// The function that a mapping's FunctionName means, as the mapping keeps it. Throws "Function does not exist".
Task<std::string> resolve_function(EventSourceMappings& mappings, const wire::Context& context, std::string name);

// Throws ResourceConflictException if another mapping has the same source and function.
Task<void> refuse_duplicate(store::Transaction& txn, const engine::Mapping& mapping);

// The moment of a change, as precise as the API tells it.
base::Time modification_time(const wire::Context& context);

}  // namespace tidemill::lambda
