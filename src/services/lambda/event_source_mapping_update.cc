// Changes what a request names of a mapping, and keeps the rest. The new settings are shown at once and hold from the
// next batch.
#include "services/lambda/errors.h"
#include "services/lambda/event_source_mapping_not_yet.h"
#include "services/lambda/event_source_mapping_operations.h"
#include "services/lambda/event_source_mapping_options.h"
#include "services/lambda/event_source_mapping_record.h"
#include "services/lambda/event_source_mapping_source.h"

namespace tidemill::lambda {

namespace {

using engine::Mapping;
using engine::MappingState;
using Op = shapes::ops::UpdateEventSourceMapping;

// A mapping at rest stays so until it is enabled; one that runs takes every change up.
MappingState next_state(MappingState now, const std::optional<bool>& enabled) {
  const bool runs = engine::wants_polling(now);
  if (!enabled) return runs ? MappingState::updating : now;
  if (*enabled) return runs ? MappingState::updating : MappingState::enabling;
  return runs ? MappingState::disabling : now;
}

}  // namespace

Task<shapes::EventSourceMappingConfiguration> update_event_source_mapping(EventSourceMappings& mappings,
                                                                          wire::Context& context,
                                                                          const Op::Request& request) {
  const auto before = context.store().snapshot();
  Mapping known = co_await require_mapping(*before, context, request.uuid);
  const SourceRules& source = source_rules(known);
  const MappingOptions options = mapping_options(request);
  check_options(source, options);
  std::optional<std::string> function;
  if (request.function_name) {
    known.function_arn = *(function = co_await resolve_function(mappings, context, *request.function_name));
    co_await check_visibility(context, known);
  }
  apply_options(options, known);
  if (function || request.destination_config) co_await require_rights(context, known);

  co_return co_await context.store().transact(
      [&](store::Transaction& txn) -> Task<shapes::EventSourceMappingConfiguration> {
        Mapping mapping = co_await require_mapping(txn, context, request.uuid);
        if (mapping.state == MappingState::deleting) {
          throw errors::resource_in_use_exception(
              "Cannot update the event source mapping because it is in use.");
        }
        if (function) {
          mapping.function_arn = *function;
          co_await refuse_duplicate(txn, mapping);
        }
        apply_options(options, mapping);
        check_combination(source, mapping);
        refuse_not_yet_run(mappings.not_yet_run(), Op::info, mapping);
        mapping.state = next_state(mapping.state, request.enabled);
        mapping.last_modified = modification_time(context);
        save_mapping(txn, mapping);
        co_return co_await describe(txn, mapping);
      });
}

}  // namespace tidemill::lambda
