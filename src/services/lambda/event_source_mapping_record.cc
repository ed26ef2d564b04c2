#include "services/lambda/event_source_mapping_record.h"

#include "base/text.h"
#include "services/lambda/errors.h"

namespace tidemill::lambda {

namespace {

using engine::Mapping;
using engine::MappingState;
using engine::StartingPosition;

// The least age that may be asked for, beside -1.
constexpr int kRecordAgeSecondsMin = 60;

std::string_view state_name(MappingState state) {
  switch (state) {
    case MappingState::creating: return "Creating";
    case MappingState::enabling: return "Enabling";
    case MappingState::enabled: return "Enabled";
    case MappingState::disabling: return "Disabling";
    case MappingState::disabled: return "Disabled";
    case MappingState::updating: return "Updating";
    case MappingState::deleting: return "Deleting";
  }
  return "Enabled";
}

std::string_view position_name(StartingPosition position) {
  return position == StartingPosition::latest ? shapes::EventSourcePosition::kLatest
                                              : shapes::EventSourcePosition::kTrimHorizon;
}

// What a mapping's function ARN runs: $LATEST is what an unqualified one means.
std::string_view unqualified(std::string_view function_arn) {
  constexpr std::string_view kSuffix = ":$LATEST";
  if (function_arn.ends_with(kSuffix)) function_arn.remove_suffix(kSuffix.size());
  return function_arn;
}

}  // namespace

Task<Mapping> require_mapping(store::Snapshot& snapshot, const wire::Context& context, std::string uuid) {
  const auto bytes = co_await snapshot.get(engine::mapping_key(uuid));
  auto mapping = bytes ? engine::decode_mapping(*bytes) : std::nullopt;
  if (bytes && !mapping) throw std::runtime_error("an event source mapping is damaged");
  if (!mapping || mapping->account != context.account || mapping->region != context.region) {
    throw errors::resource_not_found_exception("The resource you requested does not exist.");
  }
  co_return *std::move(mapping);
}

Task<shapes::EventSourceMappingConfiguration> describe(store::Snapshot& snapshot, const Mapping& mapping) {
  shapes::EventSourceMappingConfiguration shown;
  shown.uuid = mapping.uuid;
  shown.starting_position = position_name(mapping.starting_position);
  shown.batch_size = mapping.batch_size;
  shown.maximum_batching_window_in_seconds = mapping.batching_window_seconds;
  shown.parallelization_factor = 1;
  shown.event_source_arn = mapping.event_source_arn;
  shown.function_arn = mapping.function_arn;
  shown.last_modified = mapping.last_modified;
  shown.state = state_name(mapping.state);
  shown.state_transition_reason = "User action";
  shown.destination_config.emplace().on_failure.emplace();
  shown.maximum_record_age_in_seconds = mapping.record_age_seconds_max;
  shown.bisect_batch_on_function_error = false;
  shown.maximum_retry_attempts = mapping.retry_attempts_max;
  shown.tumbling_window_in_seconds = 0;
  shown.function_response_types.emplace();
  shown.event_source_mapping_arn =
      base::cat("arn:aws:lambda:", mapping.region, ":", mapping.account, ":event-source-mapping:", mapping.uuid);
  const auto result = co_await snapshot.get(engine::result_key(mapping.uuid));
  shown.last_processing_result = result.value_or(std::string(engine::kNothingProcessed));
  co_return shown;
}

void save_mapping(store::Transaction& txn, const Mapping& mapping) {
  txn.put(engine::mapping_key(mapping.uuid), engine::encode_mapping(mapping));
  txn.signal(engine::kMappingsTopic);
}

// A name or a partial ARN keeps its qualifier; of a whole ARN AWS drops $LATEST.
Task<std::string> resolve_function(EventSourceMappings& mappings, const wire::Context& context, std::string name) {
  const FunctionReference reference = parse_function_name(context, name);
  const bool is_latest = reference.qualifier.empty() || reference.qualifier == kLatest;
  if (!is_latest || !co_await mappings.function_exists(reference.address)) {
    throw errors::invalid_parameter_value_exception("Function does not exist");
  }
  co_return name.starts_with("arn:") ? reference.address.arn() : reference.arn();
}

Task<void> refuse_duplicate(store::Transaction& txn, const Mapping& mapping) {
  std::string duplicate;
  co_await txn.scan(engine::all_mappings(), store::Direction::forward, [&](std::string_view, std::string_view bytes) {
    const auto other = engine::decode_mapping(bytes);
    if (!other || other->uuid == mapping.uuid || other->state == MappingState::deleting ||
        other->event_source_arn != mapping.event_source_arn ||
        unqualified(other->function_arn) != unqualified(mapping.function_arn)) {
      return true;
    }
    duplicate = other->uuid;
    return false;
  });
  if (duplicate.empty()) co_return;
  const auto function = parse_function_arn(mapping.function_arn);
  throw errors::resource_conflict_exception(
      base::cat("The event source arn (\" ", mapping.event_source_arn, " \") and function (\" ",
                function ? function->address.name : mapping.function_arn,
                " \") provided mapping already exists. Please update or delete the existing mapping with UUID ",
                duplicate));
}

base::Time modification_time(const wire::Context& context) {
  return std::chrono::floor<std::chrono::milliseconds>(context.now());
}

void check_record_age(const std::optional<int32_t>& seconds) {
  if (!seconds || *seconds == -1 || *seconds >= kRecordAgeSecondsMin) return;
  throw errors::invalid_parameter_value_exception(
      "MaximumRecordAgeInSeconds must be either -1 (forever) or between 60 and 604800 (inclusive)");
}

void check_destinations(const std::optional<shapes::DestinationConfig>& destinations) {
  if (!destinations || !destinations->on_success) return;
  throw errors::invalid_parameter_value_exception(
      "Unsupported DestinationConfig parameter for given event source mapping type.");
}

}  // namespace tidemill::lambda
