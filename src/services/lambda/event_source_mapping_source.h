// The event source that a new mapping names: which it is, whether it is there, and where reading begins.
#pragma once

#include <string>

#include "engine/mappings/mapping.h"
#include "services/lambda/event_source_mapping_rules.h"
#include "services/lambda/event_source_mappings.h"
#include "wire/context.h"
#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

// Throws "Unrecognized event source.", and by name for sources that Tidemill lacks.
[[nodiscard]] const SourceRules& choose_source(const wire::lambda::CreateEventSourceMappingInput& request);

// Puts StartingPosition and its time into the mapping. Throws if the source and they do not fit.
void take_starting_position(const SourceRules& source, const wire::lambda::CreateEventSourceMappingInput& request,
                            base::Time now, engine::Mapping& mapping);

// Throws if a message that the mapping's function has would come back while it still runs: the queue's visibility timeout
// must not be less than the function's. Nothing is asked of streams. The queue and the function are there.
Task<void> check_visibility(wire::Context& context, const engine::Mapping& mapping);

// Throws if the role of the mapping's function may not read the source, and remove what it has done, or tell the
// destination of what it gives up; where policies are enforced.
Task<void> require_rights(wire::Context& context, const engine::Mapping& mapping);

// Throws if the mapping's source is not there for the caller: accounts and regions do not see each other's.
Task<void> require_source(const EventSourceMappings& mappings, wire::Context& context, const engine::Mapping& mapping);

}  // namespace tidemill::lambda
