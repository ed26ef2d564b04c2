#include "services/lambda/event_invoke_config.h"

#include "base/json_record.h"
#include "base/ordered.h"
#include "store/resources.h"

namespace tidemill::lambda {
namespace {

constexpr store::ResourceType kConfigs{"lambda", "event-invoke-config"};

std::string of_function(const FunctionAddress& address) {
  return store::resource_key(kConfigs, address.account, address.region, address.name);
}

std::optional<int> find_int(const json::Record& record, std::string_view name) {
  const auto number = record.find_integer(name);
  return number ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

}  // namespace

std::string event_invoke_config_key(const FunctionAddress& address, std::string_view qualifier) {
  std::string key = of_function(address);
  base::append_string(key, qualifier);
  return key;
}

store::Range event_invoke_configs_range(const FunctionAddress& address) {
  return store::Range::prefix(of_function(address));
}

std::string encode_event_invoke_config(const EventInvokeConfig& config) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "qualifier", config.qualifier);
  if (config.retry_attempts_max) json::write_member(writer, "retry_attempts_max", int64_t{*config.retry_attempts_max});
  if (config.age_seconds_max) json::write_member(writer, "age_seconds_max", int64_t{*config.age_seconds_max});
  json::write_member(writer, "on_success", config.on_success);
  json::write_member(writer, "on_failure", config.on_failure);
  json::write_member(writer, "last_modified_us", config.last_modified);
  writer.end_object();
  return out;
}

EventInvokeConfig decode_event_invoke_config(std::string_view bytes) {
  const json::Record record("event invoke configuration", bytes);
  EventInvokeConfig config;
  config.qualifier = record.text("qualifier");
  config.retry_attempts_max = find_int(record, "retry_attempts_max");
  config.age_seconds_max = find_int(record, "age_seconds_max");
  config.on_success = record.text("on_success");
  config.on_failure = record.text("on_failure");
  config.last_modified = record.time("last_modified_us");
  return config;
}

Task<std::optional<EventInvokeConfig>> find_event_invoke_config(store::Snapshot& reader, FunctionReference reference) {
  const std::string_view qualifier = reference.is_latest() ? kLatest : std::string_view(reference.qualifier);
  const auto bytes = co_await reader.get(event_invoke_config_key(reference.address, qualifier));
  if (!bytes) co_return std::nullopt;
  co_return decode_event_invoke_config(*bytes);
}

}  // namespace tidemill::lambda
