// Deletes a mapping: it shows as Deleting until its pollers have let go of it, and is then gone with its checkpoints.
#include "services/lambda/errors.h"
#include "services/lambda/event_source_mapping_operations.h"
#include "services/lambda/event_source_mapping_record.h"

namespace tidemill::lambda {

Task<shapes::EventSourceMappingConfiguration> delete_event_source_mapping(
    EventSourceMappings&, wire::Context& context, const shapes::DeleteEventSourceMappingInput& request) {
  co_return co_await context.store().transact(
      [&](store::Transaction& txn) -> Task<shapes::EventSourceMappingConfiguration> {
        engine::Mapping mapping = co_await require_mapping(txn, context, request.uuid);
        if (mapping.state == engine::MappingState::deleting) {
          throw errors::resource_in_use_exception(
              "Cannot delete the event source mapping because it is in use.");
        }
        mapping.state = engine::MappingState::deleting;
        save_mapping(txn, mapping);
        co_return co_await describe(txn, mapping);
      });
}

}  // namespace tidemill::lambda
