#include "services/secretsmanager/secret.h"

#include <stdexcept>

#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/secretsmanager/random_text.h"
#include "store/resources.h"
#include "wire/arn.h"
#include "wire/shapes/secretsmanager.h"

namespace tidemill::secretsmanager {

using base::cat;

namespace {

namespace errors = wire::secretsmanager::errors;

constexpr store::ResourceType kSecrets{"secretsmanager", "secret"};
constexpr store::ResourceType kValues{"secretsmanager", "value"};
constexpr std::string_view kResource = "secret:";
constexpr size_t kSuffixSize = 6;

std::string value_key(const SecretAddress& address, std::string_view version) {
  std::string key = store::resource_key(kValues, address.account, address.region, address.name);
  base::append_string(key, version);
  return key;
}

store::Range values_range(const SecretAddress& address) {
  return store::Range::prefix(store::resource_key(kValues, address.account, address.region, address.name));
}

wire::Error not_found() {
  return errors::resource_not_found_exception("Secrets Manager can't find the specified secret.");
}

constexpr auto kSecretMembers = [](auto& member, auto& secret) {
  member("suffix", secret.suffix);
  member("description", secret.description);
  member("kms_key_id", secret.kms_key_id);
  member("created_us", secret.created);
  member("changed_us", secret.changed);
  member("deletion_us", secret.deletion);
  member("policy", secret.policy);
  member("tags", secret.tags);
  member("versions", secret.versions);
  member("stages", secret.stages);
};

constexpr auto kValueMembers = [](auto& member, auto& value) {
  member("binary", value.is_binary);
  member.bytes("data_key", value.data_key);
  member.bytes("sealed", value.sealed);
};

}  // namespace

std::string Secret::arn() const {
  return cat("arn:aws:secretsmanager:", address.region, ":", address.account, ":", kResource, address.name, "-", suffix);
}

std::string new_suffix() {
  return random_text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", kSuffixSize);
}

std::string record_key(const SecretAddress& address) {
  return store::resource_key(kSecrets, address.account, address.region, address.name);
}

SecretAddress address_of_record(std::string_view key) {
  auto address = store::resource_of_key(kSecrets, key);
  if (!address) throw std::runtime_error("a secret's record is damaged");
  return {std::move(address->account), std::move(address->region), std::move(address->name)};
}

store::Range secrets_range(std::string_view account, std::string_view region) {
  return store::resources_range(kSecrets, account, region);
}

std::string encode_secret(const Secret& secret) { return json::encode(secret, kSecretMembers); }

Secret decode_secret(SecretAddress address, std::string_view bytes) {
  return json::decode("secret", bytes, kSecretMembers, Secret{.address = std::move(address)});
}

Task<std::optional<Secret>> find_secret(store::Snapshot& reader, const SecretAddress& address) {
  const auto bytes = co_await reader.get(record_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_secret(address, *bytes);
}

void save_secret(store::Transaction& txn, const Secret& secret) {
  txn.put(record_key(secret.address), encode_secret(secret));
}

void erase_secret(store::Transaction& txn, const SecretAddress& address) {
  txn.erase(record_key(address));
  txn.erase_range(values_range(address));
}

Task<Secret> load_secret(store::Snapshot& reader, const wire::Context& context, std::string id) {
  if (!id.starts_with("arn:")) {
    auto secret = co_await find_secret(reader, {context.account, context.region, id});
    if (!secret) throw not_found();
    co_return *std::move(secret);
  }
  const auto arn = wire::parse_arn_of("secretsmanager", id);
  const bool is_here = arn && arn->account == context.account && arn->region == context.region;
  if (!is_here || !arn->resource.starts_with(kResource)) throw not_found();
  const std::string rest(arn->resource.substr(kResource.size()));
  const size_t hyphen = rest.rfind('-');
  if (hyphen != std::string::npos && rest.size() - hyphen - 1 == kSuffixSize) {
    auto secret = co_await find_secret(reader, {context.account, context.region, rest.substr(0, hyphen)});
    if (secret && secret->arn() == id) co_return *std::move(secret);
  }
  auto secret = co_await find_secret(reader, {context.account, context.region, rest});
  if (!secret) throw not_found();
  co_return *std::move(secret);
}

Task<Secret> load_kept_secret(store::Snapshot& reader, const wire::Context& context, std::string id) {
  Secret secret = co_await load_secret(reader, context, std::move(id));
  if (secret.deletion) {
    throw errors::invalid_request_exception(
        "You can't perform this operation on the secret because it was marked for deletion.");
  }
  co_return secret;
}

void save_value(store::Transaction& txn, const SecretAddress& address, std::string_view version,
                const SealedValue& value) {
  txn.put(value_key(address, version), json::encode(value, kValueMembers));
}

void erase_value(store::Transaction& txn, const SecretAddress& address, std::string_view version) {
  txn.erase(value_key(address, version));
}

Task<std::optional<SealedValue>> find_value(store::Snapshot& reader, const SecretAddress& address,
                                            std::string_view version) {
  const auto bytes = co_await reader.get(value_key(address, version));
  if (!bytes) co_return std::nullopt;
  co_return json::decode<SealedValue>("secret's value", *bytes, kValueMembers);
}

}  // namespace tidemill::secretsmanager
