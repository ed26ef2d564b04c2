#include "services/lambda/provisioned.h"

#include <cmath>
#include <map>

#include "base/json_members.h"
#include "base/log.h"
#include "base/ordered.h"
#include "services/lambda/alias.h"
#include "services/lambda/concurrency.h"
#include "services/lambda/errors.h"
#include "services/lambda/function_layers.h"
#include "services/lambda/service.h"
#include "store/resources.h"

namespace tidemill::lambda {
namespace {

namespace json = base::json;

constexpr store::ResourceType kConfigs{"lambda", "provisioned"};
constexpr store::ResourceType kFunctions{"lambda", "provisioned-function"};

std::string configs_prefix(const FunctionAddress& address) {
  return store::resource_key(kConfigs, address.account, address.region, address.name);
}

std::string config_key(const FunctionReference& reference) {
  std::string key = configs_prefix(reference.address);
  base::append_string(key, reference.qualifier);
  return key;
}

std::string function_mark(const FunctionAddress& address) { return store::resource_key(kFunctions, "", "", address.arn()); }

constexpr auto kProvisionedMembers = [](auto& member, auto& config) {
  member("qualifier", config.qualifier);
  member("requested", config.requested);
  member("modified_us", config.modified);
};

// What the function has in all is part of its record.
Task<void> change_total(store::Transaction& txn, const FunctionAddress& address, int difference) {
  auto function = co_await load_function(txn, address);
  if (!function) co_return;
  const int before = function->provisioned_concurrency;
  co_await change_concurrency(txn, address, {function->reserved_concurrency, before},
                              {function->reserved_concurrency, before + difference});
  function->provisioned_concurrency = before + difference;
  txn.put(function_key(address), encode_function(*function));
  if (function->provisioned_concurrency > 0) txn.put(function_mark(address), "{}");
  else txn.erase(function_mark(address));
}

Task<std::vector<ProvisionedConfig>> load_all(store::Snapshot& reader, const FunctionAddress& address) {
  std::vector<ProvisionedConfig> configs;
  co_await reader.scan(provisioned_configs_range(address), store::Direction::forward,
                       [&](std::string_view, std::string_view value) {
                         configs.push_back(decode_provisioned_config(value));
                         return true;
                       });
  co_return configs;
}

using Counts = std::map<uint64_t, int>;  // by version

// An alias with weights shares its processes out by them.
void count_alias(const Alias& alias, int requested, Counts& counts) {
  int left = requested;
  for (const auto& [version, weight] : alias.weights) {
    const int share = static_cast<int>(std::floor(requested * weight));
    counts[version] += share;
    left -= share;
  }
  counts[alias.version] += left;
}

}  // namespace

store::Range provisioned_configs_range(const FunctionAddress& address) {
  return store::Range::prefix(configs_prefix(address));
}

ProvisionedConfig decode_provisioned_config(std::string_view bytes) {
  return json::decode<ProvisionedConfig>("provisioned concurrency", bytes, kProvisionedMembers);
}

Task<std::optional<ProvisionedConfig>> load_provisioned_config(store::Snapshot& reader, FunctionReference reference) {
  const auto bytes = co_await reader.get(config_key(reference));
  if (!bytes) co_return std::nullopt;
  co_return decode_provisioned_config(*bytes);
}

Task<void> check_provisioned_alias(store::Transaction& txn, FunctionAddress address, const Alias& alias) {
  if (alias.names(0)) throw errors::invalid_parameter_value_exception(std::string(kCannotBeProvisioned));
  std::vector<uint64_t> versions{alias.version};
  for (const auto& [version, weight] : alias.weights) versions.push_back(version);
  for (const uint64_t version : versions) {
    if (!co_await load_provisioned_config(txn, {address, name_of_version(version)})) continue;
    throw errors::resource_conflict_exception(
        "Alias can't be used for Provisioned Concurrency configuration on an already Provisioned version");
  }
}

Task<void> save_provisioned_config(store::Transaction& txn, FunctionAddress address, ProvisionedConfig config) {
  const FunctionReference reference{address, config.qualifier};
  const auto before = co_await load_provisioned_config(txn, reference);
  txn.put(config_key(reference), json::encode(config, kProvisionedMembers));
  co_await change_total(txn, address, config.requested - (before ? before->requested : 0));
}

Task<bool> erase_provisioned_config(store::Transaction& txn, FunctionReference reference) {
  const auto before = co_await load_provisioned_config(txn, reference);
  if (!before) co_return false;
  txn.erase(config_key(reference));
  co_await change_total(txn, reference.address, -before->requested);
  co_return true;
}

void erase_provisioned_configs(store::Transaction& txn, const FunctionAddress& address) {
  txn.erase_range(provisioned_configs_range(address));
  txn.erase(function_mark(address));
}

Task<void> apply_provisioned(Service& service, FunctionAddress address) {
  const auto snapshot = service.store().snapshot();
  Counts counts;
  for (const ProvisionedConfig& config : co_await load_all(*snapshot, address)) {
    if (const auto version = version_of_qualifier(config.qualifier)) {
      counts[*version] += config.requested;
    } else if (const auto alias = co_await load_alias(*snapshot, address, config.qualifier)) {
      count_alias(*alias, config.requested, counts);
    }
  }
  std::vector<engine::Workers::Provision> versions;
  for (const auto& [version, count] : counts) {
    if (version == 0 || count == 0) continue;
    const FunctionPtr function = co_await service.functions().find({address, name_of_version(version)});
    if (!function) continue;
    co_await ensure_code(service.packages(), *function);
    versions.push_back({function->spec, count});
  }
  service.workers().provision(address.arn(), std::move(versions), snapshot->version().value);
}

Task<void> apply_all_provisioned(Service& service) {
  std::vector<FunctionAddress> functions;
  const auto snapshot = service.store().snapshot();
  co_await snapshot->scan(store::resources_range(kFunctions, "", ""), store::Direction::forward,
                          [&](std::string_view key, std::string_view) {
                            const auto found = store::resource_of_key(kFunctions, key);
                            const auto reference = found ? parse_function_arn(found->name) : std::nullopt;
                            if (reference) functions.push_back(reference->address);
                            return true;
                          });
  for (FunctionAddress& address : functions) {
    try {
      co_await apply_provisioned(service, std::move(address));
    } catch (const std::exception& error) {
      base::log_error("provisioned concurrency not restored", {{"reason", error.what()}});
    }
  }
}

}  // namespace tidemill::lambda
