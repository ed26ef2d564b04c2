#include "services/kms/alias.h"

#include <stdexcept>

#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "store/resources.h"

namespace tidemill::kms {

using base::cat;

namespace {

constexpr store::ResourceType kAliases{"kms", "alias"};
constexpr store::ResourceType kAliasesOfKeys{"kms", "key-alias"};

constexpr auto kAliasMembers = [](auto& member, auto& alias) {
  member("name", alias.name);
  member("target", alias.target);
  member("created_us", alias.created);
  member("updated_us", alias.updated);
};

std::string alias_key(const Alias& alias) {
  return store::resource_key(kAliases, alias.account, alias.region, alias.name);
}

std::string of_key_prefix(const KeyAddress& key) {
  return store::resource_key(kAliasesOfKeys, key.account, key.region, key.id);
}

std::string of_key(const Alias& alias) {
  std::string key = of_key_prefix(alias.key());
  base::append_string(key, alias.name);
  return key;
}

}  // namespace

std::string Alias::arn() const { return alias_arn(account, region, name); }

std::string alias_arn(std::string_view account, std::string_view region, std::string_view name) {
  return cat("arn:aws:kms:", region, ":", account, ":", name);
}

store::Range aliases_range(std::string_view account, std::string_view region) {
  return store::resources_range(kAliases, account, region);
}

store::Range aliases_of_key_range(const KeyAddress& key) { return store::Range::prefix(of_key_prefix(key)); }

std::string alias_name_of(const KeyAddress& key, std::string_view record) {
  base::OrderedReader reader(record.substr(of_key_prefix(key).size()));
  std::string name = reader.string();
  if (!reader.ok()) throw std::runtime_error("an alias of a KMS key is damaged");
  return name;
}

Alias decode_alias(std::string account, std::string region, std::string_view bytes) {
  return json::decode("KMS alias", bytes, kAliasMembers, Alias{.account = std::move(account), .region = std::move(region)});
}

Task<std::optional<Alias>> find_alias(store::Snapshot& reader, std::string account, std::string region,
                                      std::string name) {
  const auto bytes = co_await reader.get(store::resource_key(kAliases, account, region, name));
  if (!bytes) co_return std::nullopt;
  co_return decode_alias(std::move(account), std::move(region), *bytes);
}

void save_alias(store::Transaction& txn, const Alias& alias) {
  txn.put(alias_key(alias), json::encode(alias, kAliasMembers));
  txn.put(of_key(alias), "");
}

void erase_alias(store::Transaction& txn, const Alias& alias) {
  txn.erase(alias_key(alias));
  txn.erase(of_key(alias));
}

}  // namespace tidemill::kms
