// Shows one mapping.
#include "services/lambda/event_source_mapping_operations.h"
#include "services/lambda/event_source_mapping_record.h"

namespace tidemill::lambda {

Task<shapes::EventSourceMappingConfiguration> get_event_source_mapping(
    EventSourceMappings&, wire::Context& context, const shapes::GetEventSourceMappingInput& request) {
  const auto snapshot = context.store().snapshot();
  const engine::Mapping mapping = co_await require_mapping(*snapshot, context, request.uuid);
  co_return co_await describe(*snapshot, mapping);
}

}  // namespace tidemill::lambda
