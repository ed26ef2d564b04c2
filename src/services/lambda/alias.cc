#include "services/lambda/alias.h"

#include "base/json_record.h"
#include "base/ordered.h"
#include "base/uuid.h"
#include "services/lambda/event_invoke_config.h"
#include "services/lambda/function.h"
#include "services/lambda/function_policy.h"
#include "store/resources.h"

namespace tidemill::lambda {
namespace {

constexpr store::ResourceType kAliases{"lambda", "alias"};

std::string encode_alias(const Alias& alias) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "name", alias.name);
  json::write_member(writer, "version", static_cast<int64_t>(alias.version));
  json::write_member(writer, "description", alias.description);
  json::write_member(writer, "revision", alias.revision);
  writer.key("weights");
  writer.begin_object();
  for (const auto& [version, weight] : alias.weights) {
    writer.key(std::to_string(version));
    writer.number(weight);
  }
  writer.end_object();
  writer.end_object();
  return out;
}

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

Alias decode_alias(std::string_view bytes) {
  const json::Record record("alias", bytes);
  Alias alias;
  alias.name = record.text("name");
  alias.version = static_cast<uint64_t>(record.integer("version"));
  alias.description = record.text("description");
  alias.revision = record.text("revision");
  const json::Value* weights = record.find("weights");
  if (!weights || !weights->is_object()) record.damaged("weights");
  for (const auto& [version, weight] : weights->object()) {
    const auto number = version_of_qualifier(version);
    const auto share = weight.to_double();
    if (!number || !share) record.damaged("weights");
    alias.weights.emplace(*number, *share);
  }
  return alias;
}

Task<std::optional<Alias>> load_alias(store::Snapshot& reader, FunctionAddress address, std::string name) {
  const auto bytes = co_await reader.get(alias_key(address, name));
  if (!bytes) co_return std::nullopt;
  co_return decode_alias(*bytes);
}

void save_alias(store::Transaction& txn, const FunctionAddress& address, Alias& alias) {
  alias.revision = base::new_uuid();
  txn.put(alias_key(address, alias.name), encode_alias(alias));
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
