#include "services/lambda/event_source_mapping_record.h"

#include "base/text.h"
#include "services/lambda/errors.h"
#include "services/lambda/event_source_mapping_rules.h"

namespace tidemill::lambda {

namespace {

using engine::Mapping;
using engine::MappingState;

std::string arn_prefix(std::string_view region, std::string_view account) {
  return base::cat("arn:aws:lambda:", region, ":", account, ":event-source-mapping:");
}

// What a mapping's function ARN runs: $LATEST is what an unqualified one means.
std::string_view unqualified(std::string_view function_arn) {
  constexpr std::string_view kSuffix = ":$LATEST";
  if (function_arn.ends_with(kSuffix)) function_arn.remove_suffix(kSuffix.size());
  return function_arn;
}

// AWS says it in other words of queues than of streams.
std::string conflict(const Mapping& mapping, std::string_view duplicate) {
  const bool is_stream = source_rules(mapping).is_stream();
  const auto function = parse_function_arn(mapping.function_arn);
  return base::cat(is_stream ? "The event source arn (\" " : "An event source mapping with SQS arn (\" ",
                   mapping.event_source_arn, " \") and function (\" ",
                   function ? function->address.name : mapping.function_arn,
                   is_stream ? " \") provided mapping already exists." : " \") already exists.",
                   " Please update or delete the existing mapping with UUID ", duplicate);
}

}  // namespace

Task<Mapping> require_mapping(store::Snapshot& snapshot, const wire::Context& context, std::string uuid) {
  const auto bytes = co_await snapshot.get(engine::mapping_key(uuid));
  auto mapping = bytes ? engine::decode_mapping(*bytes) : std::nullopt;
  if (bytes && !mapping) throw std::runtime_error("an event source mapping is damaged");
  if (!mapping || mapping->account != context.account || mapping->region != context.region ||
      engine::goes_to_pipe(*mapping)) {
    throw errors::resource_not_found_exception("The resource you requested does not exist.");
  }
  co_return *std::move(mapping);
}

std::string mapping_arn(const Mapping& mapping) {
  return base::cat(arn_prefix(mapping.region, mapping.account), mapping.uuid);
}

std::optional<std::string> mapping_of_arn(const wire::Context& context, std::string_view arn) {
  const std::string prefix = arn_prefix(context.region, context.account);
  if (!arn.starts_with(prefix)) return std::nullopt;
  return std::string(arn.substr(prefix.size()));
}

void save_mapping(store::Transaction& txn, const Mapping& mapping) {
  txn.put(engine::mapping_key(mapping.uuid), engine::encode_mapping(mapping));
  txn.signal(engine::kMappingsTopic);
}

// A name or a partial ARN keeps its qualifier; of a whole ARN AWS drops $LATEST.
Task<std::string> resolve_function(EventSourceMappings& mappings, const wire::Context& context, std::string name) {
  const FunctionReference reference = parse_function_name(context, name);
  if (!co_await mappings.function_exists(reference)) {
    throw errors::invalid_parameter_value_exception("Function does not exist");
  }
  const bool drops_latest = name.starts_with("arn:") && reference.is_latest();
  co_return drops_latest ? reference.address.arn() : reference.arn();
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
  throw errors::resource_conflict_exception(conflict(mapping, duplicate));
}

base::Time modification_time(const wire::Context& context) {
  return std::chrono::floor<std::chrono::milliseconds>(context.now());
}

}  // namespace tidemill::lambda
