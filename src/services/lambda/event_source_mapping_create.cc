// Creates a mapping of a table's stream to a function. Where LATEST is gets decided here, so that what is written after
// the answer is delivered. The checks are in the order of AWS.
#include "base/text.h"
#include "engine/starting_position.h"
#include "services/lambda/errors.h"
#include "services/lambda/event_source_mapping_operations.h"
#include "services/lambda/event_source_mapping_record.h"

namespace tidemill::lambda {

namespace {

using engine::Mapping;
using engine::MappingState;
using engine::StartingPosition;
using Op = shapes::ops::CreateEventSourceMapping;
namespace positions = shapes::EventSourcePosition;

engine::StreamSource& choose_source(const EventSourceMappings& mappings, const std::optional<std::string>& arn) {
  if (!arn) throw errors::invalid_parameter_value_exception("Unrecognized event source.");
  if (engine::StreamSource* source = mappings.source_of(*arn)) return *source;
  if (arn->starts_with("arn:aws:dynamodb:")) {  // a table, say
    throw errors::invalid_parameter_value_exception("Unrecognized event source.");
  }
  throw not_supported(base::cat("the event source ", *arn));
}

StartingPosition choose_position(const Op::Request& request) {
  if (!request.starting_position) {
    throw errors::invalid_parameter_value_exception(
        "1 validation error detected: Value null at 'startingPosition' failed to satisfy constraint: Member must not be "
        "null.");
  }
  if (*request.starting_position == positions::kAtTimestamp) {
    throw errors::invalid_parameter_value_exception(
        base::cat("Unsupported starting position for arn type: ", *request.event_source_arn));
  }
  if (request.starting_position_timestamp) throw wire::unsupported_parameter(Op::info, "StartingPositionTimestamp");
  return *request.starting_position == positions::kLatest ? StartingPosition::latest : StartingPosition::trim_horizon;
}

// Accounts and regions do not see each other's streams.
Task<void> require_stream(const wire::Context& context, engine::StreamSource& source, std::string arn) {
  const std::string owner = base::cat(":", context.region, ":", context.account, ":");
  if (arn.find(owner) == std::string::npos || !co_await source.exists(arn)) {
    throw errors::invalid_parameter_value_exception(base::cat("Stream not found: ", arn));
  }
}

}  // namespace

Task<shapes::EventSourceMappingConfiguration> create_event_source_mapping(EventSourceMappings& mappings,
                                                                          wire::Context& context,
                                                                          const Op::Request& request) {
  check_destinations(request.destination_config);
  engine::StreamSource& source = choose_source(mappings, request.event_source_arn);
  Mapping mapping;
  mapping.starting_position = choose_position(request);
  check_record_age(request.maximum_record_age_in_seconds);
  refuse_unsupported<Op>(request);
  mapping.function_arn = co_await resolve_function(mappings, context, request.function_name);
  mapping.event_source_arn = *request.event_source_arn;
  co_await require_stream(context, source, mapping.event_source_arn);

  mapping.uuid = mappings.new_uuid();
  mapping.account = context.account;
  mapping.region = context.region;
  mapping.batch_size = request.batch_size.value_or(mapping.batch_size);
  mapping.batching_window_seconds =
      request.maximum_batching_window_in_seconds.value_or(mapping.batching_window_seconds);
  mapping.retry_attempts_max = request.maximum_retry_attempts.value_or(mapping.retry_attempts_max);
  mapping.record_age_seconds_max = request.maximum_record_age_in_seconds.value_or(mapping.record_age_seconds_max);
  mapping.state = request.enabled.value_or(true) ? MappingState::creating : MappingState::disabled;
  mapping.last_modified = modification_time(context);

  const auto start = co_await engine::starting_checkpoints(source, mapping.event_source_arn, mapping.starting_position);
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
