// Creates a mapping of an event source to a function. Where LATEST is gets decided here, so that what is written after
// the answer is delivered. The checks are in the order of AWS.
#include "engine/mappings/starting_position.h"
#include "services/lambda/event_source_mapping_not_yet.h"
#include "services/lambda/event_source_mapping_operations.h"
#include "services/lambda/event_source_mapping_options.h"
#include "services/lambda/event_source_mapping_record.h"
#include "services/lambda/event_source_mapping_source.h"
#include "services/lambda/event_source_mapping_tags.h"

namespace tidemill::lambda {

namespace {

using engine::Mapping;
using engine::MappingState;
using Op = shapes::ops::CreateEventSourceMapping;

// The mapping as asked for. Throws for what can be told from the request alone.
Mapping mapping_of(const SourceRules& source, const Op::Request& request, base::Time now) {
  Mapping mapping;
  mapping.event_source_arn = *request.event_source_arn;
  mapping.batch_size = source.batch_size;
  take_starting_position(source, request, now, mapping);
  const MappingOptions options = mapping_options(request);
  check_options(source, options);
  apply_options(options, mapping);
  check_combination(source, mapping);
  if (request.tags) add_tags(mapping.tags, *request.tags);
  mapping.state = request.enabled.value_or(true) ? MappingState::creating : MappingState::disabled;
  return mapping;
}

Task<std::vector<engine::ShardCheckpoint>> starting_checkpoints(const EventSourceMappings& mappings,
                                                                const Mapping& mapping) {
  engine::StreamSource* source = mappings.source_of(mapping.event_source_arn);
  if (source == nullptr) co_return std::vector<engine::ShardCheckpoint>();  // queues know by themselves
  co_return co_await engine::starting_checkpoints(*source, mapping);
}

}  // namespace

Task<shapes::EventSourceMappingConfiguration> create_event_source_mapping(EventSourceMappings& mappings,
                                                                          wire::Context& context,
                                                                          const Op::Request& request) {
  Mapping mapping = mapping_of(choose_source(request), request, context.now());
  mapping.function_arn = co_await resolve_function(mappings, context, request.function_name);
  co_await require_source(mappings, context, mapping);
  co_await require_rights(context, mapping);
  co_await check_visibility(context, mapping);
  refuse_not_yet_run(mappings.not_yet_run(), Op::info, mapping);

  mapping.uuid = mappings.new_uuid();
  mapping.account = context.account;
  mapping.region = context.region;
  mapping.last_modified = modification_time(context);

  const auto start = co_await starting_checkpoints(mappings, mapping);
  co_return co_await context.store().transact(
      [&](store::Transaction& txn) -> Task<shapes::EventSourceMappingConfiguration> {
        co_await refuse_duplicate(txn, mapping);
        for (const auto& [shard, checkpoint] : start) {
          txn.put(engine::checkpoint_key(mapping.uuid, shard), engine::encode_checkpoint(checkpoint));
        }
        save_mapping(txn, mapping);
        co_return co_await describe(txn, mapping);
      });
}

}  // namespace tidemill::lambda
