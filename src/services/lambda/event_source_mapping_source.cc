#include "services/lambda/event_source_mapping_source.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "engine/mappings/mapping_rights.h"
#include "engine/targets/internal_call.h"
#include "services/lambda/errors.h"
#include "services/lambda/sending_rights.h"
#include "wire/registry.h"
#include "wire/shapes/sqs.h"

namespace tidemill::lambda {

namespace {

using base::cat;
using engine::Mapping;
using engine::StartingPosition;
namespace positions = shapes::EventSourcePosition;

wire::Error unrecognized() { return errors::invalid_parameter_value_exception("Unrecognized event source."); }

wire::Error stream_not_found(std::string_view arn) {
  return errors::invalid_parameter_value_exception(cat("Stream not found: ", arn));
}

StartingPosition position_of(std::string_view name) {
  if (name == positions::kAtTimestamp) return StartingPosition::at_timestamp;
  return name == positions::kLatest ? StartingPosition::latest : StartingPosition::trim_horizon;
}

bool is_of_caller(const wire::Context& context, std::string_view arn) {
  return arn.find(cat(":", context.region, ":", context.account, ":")) != std::string_view::npos;
}

// AWS looks by a receive of its own, and says so: whoever creates the mapping need not be let see the queue.
Task<void> require_queue(wire::Context& context, std::string arn) {
  bool is_there = is_of_caller(context, arn);
  if (is_there) {
    try {
      const wire::sqs::GetQueueUrlInput request{.queue_name = arn.substr(arn.rfind(':') + 1)};
      wire::Context asking = engine::internal_context(context.platform(), arn);
      (void)co_await context.registry().call<wire::sqs::ops::GetQueueUrl>(asking, request);
    } catch (const wire::Error& error) {
      if (error.http_status >= 500) throw;
      is_there = false;
    }
  }
  if (is_there) co_return;
  throw errors::invalid_parameter_value_exception(
      "Error occurred while ReceiveMessage. SQS Error Code: AWS.SimpleQueueService.NonExistentQueue. SQS Error Message: "
      "The specified queue does not exist.");
}

}  // namespace

const SourceRules& choose_source(const shapes::CreateEventSourceMappingInput& request) {
  if (!request.event_source_arn) throw unrecognized();
  const SourceRules* rules = find_source_rules(*request.event_source_arn);
  if (rules == nullptr) throw not_supported(cat("the event source ", *request.event_source_arn));
  return *rules;
}

void take_starting_position(const SourceRules& source, const shapes::CreateEventSourceMappingInput& request,
                            base::Time now, Mapping& mapping) {
  const std::optional<base::Time>& timestamp = request.starting_position_timestamp;
  if (!source.is_stream()) {
    if (!request.starting_position && !timestamp) return;
    throw errors::invalid_parameter_value_exception("StartingPosition is not valid for SQS event sources.");
  }
  if (!request.starting_position) {
    throw errors::invalid_parameter_value_exception(
        "1 validation error detected: Value null at 'startingPosition' failed to satisfy constraint: Member must not be "
        "null.");
  }
  mapping.starting_position = position_of(*request.starting_position);
  if (mapping.starting_position != StartingPosition::at_timestamp) {
    if (!timestamp) return;
    throw errors::invalid_parameter_value_exception(
        "StartingPositionTimestamp is only valid with the StartingPosition AT_TIMESTAMP.");
  }
  if (source.kind == kTableStream) {
    throw errors::invalid_parameter_value_exception(
        cat("Unsupported starting position for arn type: ", *request.event_source_arn));
  }
  if (!timestamp) throw errors::invalid_parameter_value_exception("Need to specify a timestamp");
  if (*timestamp > now) {
    throw errors::invalid_parameter_value_exception("StartingPositionTimestamp cannot be in the future.");
  }
  mapping.starting_timestamp = timestamp;
}

Task<void> check_visibility(wire::Context& context, const Mapping& mapping) {
  if (source_rules(mapping).is_stream()) co_return;
  const std::string& arn = mapping.event_source_arn;
  const std::string name = "VisibilityTimeout";
  const wire::sqs::GetQueueAttributesInput of_queue{.queue_url = arn.substr(arn.rfind(':') + 1),
                                                    .attribute_names = std::vector{name}};
  wire::Context asking = engine::internal_context(context.platform(), arn);
  const auto queue = co_await context.registry().call<wire::sqs::ops::GetQueueAttributes>(asking, of_queue);
  const shapes::GetFunctionConfigurationInput of_function{.function_name = mapping.function_arn};
  const auto function = co_await context.registry().call<shapes::ops::GetFunctionConfiguration>(asking, of_function);
  const int visibility = queue.attributes ? std::stoi(queue.attributes->at(name)) : 0;
  const int timeout = function.timeout.value_or(0);
  if (visibility >= timeout) co_return;
  throw errors::invalid_parameter_value_exception(cat("Queue visibility timeout: ", visibility,
                                                      " seconds is less than Function timeout: ", timeout, " seconds"));
}

Task<void> require_rights(wire::Context& context, const Mapping& mapping) {
  if (context.platform().authorizer == nullptr) co_return;
  const auto worker = co_await engine::worker_of(context.platform(), mapping.function_arn);
  if (!worker) co_return;  // found missing where it is looked for
  const bool is_stream = source_rules(mapping).is_stream();
  std::vector<engine::MappingDeed> deeds = engine::reading_deeds(mapping.event_source_arn);
  std::ranges::move(engine::removing_deeds(mapping.event_source_arn), std::back_inserter(deeds));
  const auto first_denied = [&](std::vector<engine::MappingDeed> wanted) {
    return engine::first_denied(context.platform(), *worker, std::move(wanted), context.request_id);
  };
  const auto denied = co_await first_denied(std::move(deeds));
  if (denied && is_stream) {
    throw errors::invalid_parameter_value_exception(
        cat("Cannot access stream ", mapping.event_source_arn,
            ". Please ensure the role can perform the GetRecords, GetShardIterator, DescribeStream, and ListStreams "
            "Actions on your stream in IAM."));
  }
  if (denied) throw lacks_permission(*denied);
  const auto untold = co_await first_denied(engine::telling_deeds(mapping.failure_destination));
  if (untold) throw lacks_permission(*untold);
}

Task<void> require_source(const EventSourceMappings& mappings, wire::Context& context, const Mapping& mapping) {
  const std::string& arn = mapping.event_source_arn;
  if (!source_rules(mapping).is_stream()) {
    co_await require_queue(context, arn);
    co_return;
  }
  engine::StreamSource* source = mappings.source_of(arn);
  if (source == nullptr) throw unrecognized();  // a table, say
  if (!is_of_caller(context, arn) || !co_await source->exists(arn)) throw stream_not_found(arn);
}

}  // namespace tidemill::lambda
