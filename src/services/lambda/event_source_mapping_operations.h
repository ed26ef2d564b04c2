// Every operation on event source mappings, each in the file of its name (event_source_mapping_create.cc, …). Facts of
// AWS: Lambda's API reference and what was recorded of it; docs/lambda.md says what works.
#pragma once

#include "base/task.h"
#include "services/lambda/event_source_mappings.h"
#include "wire/context.h"
#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

namespace shapes = wire::lambda;

Task<shapes::EventSourceMappingConfiguration> create_event_source_mapping(EventSourceMappings&, wire::Context&,
                                                                          const shapes::CreateEventSourceMappingInput&);
Task<shapes::EventSourceMappingConfiguration> get_event_source_mapping(EventSourceMappings&, wire::Context&,
                                                                       const shapes::GetEventSourceMappingInput&);
Task<shapes::ListEventSourceMappingsOutput> list_event_source_mappings(EventSourceMappings&, wire::Context&,
                                                                       const shapes::ListEventSourceMappingsInput&);
Task<shapes::EventSourceMappingConfiguration> update_event_source_mapping(EventSourceMappings&, wire::Context&,
                                                                          const shapes::UpdateEventSourceMappingInput&);
Task<shapes::EventSourceMappingConfiguration> delete_event_source_mapping(EventSourceMappings&, wire::Context&,
                                                                          const shapes::DeleteEventSourceMappingInput&);

}  // namespace tidemill::lambda
