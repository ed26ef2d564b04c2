#include "services/lambda/event_invoke_config.h"

#include "base/json_members.h"
#include "base/ordered.h"
#include "store/resources.h"

namespace tidemill::lambda {
namespace {

constexpr store::ResourceType kConfigs{"lambda", "event-invoke-config"};

std::string of_function(const FunctionAddress& address) {
  return store::resource_key(kConfigs, address.account, address.region, address.name);
}

constexpr auto kEventInvokeMembers = [](auto& member, auto& config) {
  member("qualifier", config.qualifier);
  member("retry_attempts_max", config.retry_attempts_max);
  member("age_seconds_max", config.age_seconds_max);
  member("on_success", config.on_success);
  member("on_failure", config.on_failure);
  member("last_modified_us", config.last_modified);
};

}  // namespace

std::string event_invoke_config_key(const FunctionAddress& address, std::string_view qualifier) {
  std::string key = of_function(address);
  base::append_string(key, qualifier);
  return key;
}

store::Range event_invoke_configs_range(const FunctionAddress& address) {
  return store::Range::prefix(of_function(address));
}

std::string encode_event_invoke_config(const EventInvokeConfig& config) { return json::encode(config, kEventInvokeMembers); }

EventInvokeConfig decode_event_invoke_config(std::string_view bytes) {
  return json::decode<EventInvokeConfig>("event invoke configuration", bytes, kEventInvokeMembers);
}

Task<std::optional<EventInvokeConfig>> find_event_invoke_config(store::Snapshot& reader, FunctionReference reference) {
  const std::string_view qualifier = reference.is_latest() ? kLatest : std::string_view(reference.qualifier);
  const auto bytes = co_await reader.get(event_invoke_config_key(reference.address, qualifier));
  if (!bytes) co_return std::nullopt;
  co_return decode_event_invoke_config(*bytes);
}

}  // namespace tidemill::lambda
