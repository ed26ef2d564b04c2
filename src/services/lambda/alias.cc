#include "services/lambda/alias.h"

#include "base/json_members.h"
#include "base/ordered.h"
#include "base/uuid.h"
#include "services/lambda/event_invoke_config.h"
#include "services/lambda/function.h"
#include "services/lambda/function_policy.h"
#include "store/resources.h"

namespace tidemill::lambda {
namespace {

constexpr store::ResourceType kAliases{"lambda", "alias"};

using Weights = std::map<uint64_t, double>;

// In the order of their numbers.
json::Object object_of(const Weights& weights) {
  json::Object object;
  for (const auto& [version, weight] : weights) object.set(std::to_string(version), weight);
  return object;
}

std::optional<Weights> weights_of(const json::Object& object) {
  Weights weights;
  for (const auto& [version, weight] : object) {
    const auto number = version_of_qualifier(version);
    const auto share = weight.to_double();
    if (!number || !share) return std::nullopt;
    weights.emplace(*number, *share);
  }
  return weights;
}

constexpr auto kAliasMembers = [](auto& member, auto& alias) {
  member("name", alias.name);
  member("version", alias.version);
  member("description", alias.description);
  member("revision", alias.revision);
  member.as("weights", alias.weights, object_of, weights_of);
};

std::string of_function(const FunctionAddress& address) {
  return store::resource_key(kAliases, address.account, address.region, address.name);
}

}  // namespace

uint64_t Alias::choose(double chance) const {
  for (const auto& [other, weight] : weights) {
    if (chance < weight) return other;
    chance -= weight;
  }
  return version;
}

std::string alias_key(const FunctionAddress& address, std::string_view name) {
  std::string key = of_function(address);
  base::append_string(key, name);
  return key;
}

store::Range aliases_range(const FunctionAddress& address) { return store::Range::prefix(of_function(address)); }

Alias decode_alias(std::string_view bytes) { return json::decode<Alias>("alias", bytes, kAliasMembers); }

Task<std::optional<Alias>> load_alias(store::Snapshot& reader, FunctionAddress address, std::string name) {
  const auto bytes = co_await reader.get(alias_key(address, name));
  if (!bytes) co_return std::nullopt;
  co_return decode_alias(*bytes);
}

Task<std::optional<Function>> load_referred(store::Snapshot& reader, FunctionReference reference) {
  auto version = reference.is_latest() ? std::optional<uint64_t>(0) : version_of_qualifier(reference.qualifier);
  if (!version) {
    const auto alias = co_await load_alias(reader, reference.address, reference.qualifier);
    if (!alias) co_return std::nullopt;
    version = alias->version;
  }
  co_return co_await load_function(reader, std::move(reference.address), *version);
}

void save_alias(store::Transaction& txn, const FunctionAddress& address, Alias& alias) {
  alias.revision = base::new_uuid();
  txn.put(alias_key(address, alias.name), json::encode(alias, kAliasMembers));
}

void erase_settings(store::Transaction& txn, const FunctionReference& reference) {
  txn.erase(event_invoke_config_key(reference.address, reference.qualifier));
  lang::PolicyStatements none("", {});
  save_policy(txn, reference, none);
}

wire::lambda::AliasConfiguration describe(const FunctionAddress& address, const Alias& alias) {
  wire::lambda::AliasConfiguration out;
  out.alias_arn = FunctionReference{address, alias.name}.arn();
  out.name = alias.name;
  out.function_version = name_of_version(alias.version);
  out.description = alias.description;
  out.revision_id = alias.revision;
  if (!alias.weights.empty()) {
    auto& weights = out.routing_config.emplace().additional_version_weights.emplace();
    for (const auto& [version, weight] : alias.weights) weights.emplace(name_of_version(version), weight);
  }
  return out;
}

}  // namespace tidemill::lambda
