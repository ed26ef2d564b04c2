// The operations on what becomes of a function's events.
#include "base/text.h"
#include "services/lambda/alias.h"
#include "services/lambda/errors.h"
#include "services/lambda/event_invoke_config.h"
#include "services/lambda/operations.h"
#include "services/lambda/paging.h"
#include "services/lambda/sending_rights.h"
#include "wire/arn.h"

namespace tidemill::lambda {
namespace {

using base::cat;

wire::Error no_function() { return errors::resource_not_found_exception("The function doesn't exist."); }

// With $LATEST written out: a setting always belongs to one qualifier.
FunctionReference configured(const wire::Context& context, const std::string& name,
                             const std::optional<std::string>& qualifier) {
  FunctionReference reference = parse_function_name(context, name, qualifier);
  if (reference.qualifier.empty()) reference.qualifier = kLatest;
  return reference;
}

wire::Error no_config(const FunctionReference& reference) {
  return errors::resource_not_found_exception(
      cat("The function ", reference.arn(), " doesn't have an EventInvokeConfig"));
}

Task<void> require_target(store::Snapshot& reader, FunctionReference reference) {
  if (!co_await load_function(reader, reference.address)) throw no_function();
  const auto version = version_of_qualifier(reference.qualifier);
  const bool is_there = version ? (co_await load_function(reader, reference.address, *version)).has_value()
                                : (co_await load_alias(reader, reference.address, reference.qualifier)).has_value();
  if (!is_there) throw no_function();
}

std::string destination_of(const auto& part) { return part ? part->destination.value_or("") : ""; }

// As AWS prints what it does not accept.
wire::Error invalid_destinations(const std::string& on_success, const std::string& on_failure) {
  const auto shown = [](std::string_view kind, const std::string& arn) {
    return arn.empty() ? std::string("null") : cat(kind, "(destination=", arn, ")");
  };
  return errors::invalid_parameter_value_exception(
      cat("The provided destination config DestinationConfig(onSuccess=", shown("OnSuccess", on_success),
          ", onFailure=", shown("OnFailure", on_failure), ") is invalid."));
}

Task<void> check_function_destination(store::Snapshot& reader, const FunctionAddress& source, std::string arn) {
  const auto target = parse_function_arn(arn);
  if (!target || !co_await load_function(reader, target->address)) {
    throw errors::invalid_parameter_value_exception(cat("The destination ARN ", arn, " is invalid."));
  }
  if (target->address == source) {
    throw errors::invalid_parameter_value_exception("You can't specify the function as a destination for itself.");
  }
}

// Whether records can go there in principle. Buckets take only those of failures.
bool is_destination(const std::string& arn, bool is_failure) {
  if (arn.empty()) return true;
  const auto parts = wire::parse_arn(arn);
  if (!parts || parts->partition != wire::kPartition || arn.ends_with(".fifo")) return false;
  if (parts->service == "events") return parts->resource.starts_with("event-bus/");
  return parts->service == "sqs" || parts->service == "sns" || parts->service == "lambda" ||
         (parts->service == "s3" && is_failure);
}

Task<void> check_destinations(store::Snapshot& reader, const FunctionAddress& source, const EventInvokeConfig& config) {
  for (const std::string& arn : {config.on_success, config.on_failure}) {
    if (arn.starts_with("arn:aws:lambda:")) co_await check_function_destination(reader, source, arn);
  }
  if (!is_destination(config.on_success, false) || !is_destination(config.on_failure, true)) {
    throw invalid_destinations(config.on_success, config.on_failure);
  }
}

shapes::FunctionEventInvokeConfig describe(const FunctionAddress& address, const EventInvokeConfig& config) {
  shapes::FunctionEventInvokeConfig out;
  out.function_arn = FunctionReference{address, config.qualifier}.arn();
  out.last_modified = config.last_modified;
  out.maximum_retry_attempts = config.retry_attempts_max;
  out.maximum_event_age_in_seconds = config.age_seconds_max;
  auto& destinations = out.destination_config.emplace();
  destinations.on_success.emplace();
  destinations.on_failure.emplace();
  if (!config.on_success.empty()) destinations.on_success->destination = config.on_success;
  if (!config.on_failure.empty()) destinations.on_failure->destination = config.on_failure;
  return out;
}

template <class Request>
void apply(const Request& request, EventInvokeConfig& config) {
  if (request.maximum_retry_attempts) config.retry_attempts_max = request.maximum_retry_attempts;
  if (request.maximum_event_age_in_seconds) config.age_seconds_max = request.maximum_event_age_in_seconds;
  if (!request.destination_config) return;
  config.on_success = destination_of(request.destination_config->on_success);
  config.on_failure = destination_of(request.destination_config->on_failure);
}

// For both operations; `updates` what is there, which must be.
template <class Request>
Task<shapes::FunctionEventInvokeConfig> write_config(Service& service, wire::Context& context,
                                                     const Request& request, bool updates) {
  const FunctionReference reference = configured(context, request.function_name, request.qualifier);
  if (!request.maximum_retry_attempts && !request.maximum_event_age_in_seconds && !request.destination_config) {
    throw errors::invalid_parameter_value_exception(
        "You must specify at least one of error handling or destination setting.");
  }
  const auto asked_for = [&](store::Snapshot& reader) -> Task<EventInvokeConfig> {
    co_await require_target(reader, reference);
    auto config = updates ? co_await find_event_invoke_config(reader, reference) : EventInvokeConfig{};
    if (!config) throw no_config(reference);
    config->qualifier = reference.qualifier;
    apply(request, *config);
    config->last_modified = std::chrono::floor<std::chrono::milliseconds>(context.now());
    co_await check_destinations(reader, reference.address, *config);
    co_return *std::move(config);
  };
  if (request.destination_config) {
    const EventInvokeConfig config = co_await asked_for(*service.store().snapshot());
    co_await require_destinations(context, reference, config);
  }
  const auto write = [&](store::Transaction& txn) -> Task<EventInvokeConfig> {
    EventInvokeConfig config = co_await asked_for(txn);
    txn.put(event_invoke_config_key(reference.address, config.qualifier), encode_event_invoke_config(config));
    co_return config;
  };
  const EventInvokeConfig config = co_await service.store().transact(write);
  co_return describe(reference.address, config);
}

}  // namespace

Task<shapes::FunctionEventInvokeConfig> put_function_event_invoke_config(
    Service& service, wire::Context& context, const shapes::PutFunctionEventInvokeConfigInput& request) {
  co_return co_await write_config(service, context, request, false);
}

Task<shapes::FunctionEventInvokeConfig> update_function_event_invoke_config(
    Service& service, wire::Context& context, const shapes::UpdateFunctionEventInvokeConfigInput& request) {
  co_return co_await write_config(service, context, request, true);
}

Task<shapes::FunctionEventInvokeConfig> get_function_event_invoke_config(
    Service& service, wire::Context& context, const shapes::GetFunctionEventInvokeConfigInput& request) {
  const FunctionReference reference = configured(context, request.function_name, request.qualifier);
  const auto snapshot = service.store().snapshot();
  const auto config = co_await find_event_invoke_config(*snapshot, reference);
  if (!config) throw no_config(reference);
  co_return describe(reference.address, *config);
}

Task<shapes::ListFunctionEventInvokeConfigsOutput> list_function_event_invoke_configs(
    Service& service, wire::Context& context, const shapes::ListFunctionEventInvokeConfigsInput& request) {
  const FunctionReference reference = parse_function_name(context, request.function_name);
  shapes::ListFunctionEventInvokeConfigsOutput out;
  auto& configs = out.function_event_invoke_configs.emplace();
  const auto take = [&](std::string_view, std::string_view value) {
    configs.push_back(describe(reference.address, decode_event_invoke_config(value)));
    return true;
  };
  const auto snapshot = service.store().snapshot();
  if (!co_await load_function(*snapshot, reference.address)) throw no_function();
  out.next_marker = co_await read_page(*snapshot, event_invoke_configs_range(reference.address), request.marker,
                                       request.max_items, take);
  co_return out;
}

Task<shapes::DeleteFunctionEventInvokeConfigOutput> delete_function_event_invoke_config(
    Service& service, wire::Context& context, const shapes::DeleteFunctionEventInvokeConfigInput& request) {
  const FunctionReference reference = configured(context, request.function_name, request.qualifier);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await find_event_invoke_config(txn, reference)) throw no_config(reference);
    txn.erase(event_invoke_config_key(reference.address, reference.qualifier));
  });
  co_return shapes::DeleteFunctionEventInvokeConfigOutput{};
}

}  // namespace tidemill::lambda
