#include "services/kms/lookup.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/uuid.h"
#include "services/kms/alias.h"
#include "services/kms/policy.h"
#include "wire/arn.h"

namespace tidemill::kms {
namespace {

using base::cat;
namespace errors = wire::kms::errors;

constexpr std::string_view kKeyStart = "key/";
// The services that have keys of their own here, as alias/aws/<name>.
constexpr std::array<std::string_view, 8> kServicesWithKeys{"dynamodb", "kinesis",        "lambda", "s3",
                                                            "sns",      "secretsmanager", "sqs",    "ssm"};

bool is_uuid(std::string_view text) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (text.size() != kForm.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
    if (kForm[i] == '-' ? text[i] != '-' : !is_digit) return false;
  }
  return true;
}

wire::Error invalid_id(std::string_view text) { return errors::not_found_exception(cat("Invalid keyId '", text, "'")); }

// Of an ARN: what it names in this account and region. Others are refused.
std::string_view resource_of(const wire::Context& context, std::string_view text) {
  if (!text.starts_with("arn:")) return text;
  const auto arn = wire::parse_arn_of("kms", text);
  if (!arn) throw errors::invalid_arn_exception(cat("Invalid arn ", text));
  if (arn->region != context.region) throw errors::not_found_exception(cat("Invalid arn ", arn->region));
  if (arn->account != context.account) {
    throw errors::access_denied_exception(
        cat("The caller is not authorized to use the resource ", text,
            ": the resource does not exist in this Region, or no resource-based policies allow access"));
  }
  return arn->resource;
}

std::string_view service_of_alias(std::string_view alias) {
  if (!alias.starts_with(kAwsAliasStart)) return {};
  const auto* const found = std::ranges::find(kServicesWithKeys, alias.substr(kAwsAliasStart.size()));
  return found == kServicesWithKeys.end() ? std::string_view() : *found;
}

Task<Key> make_aws_key(Service& service, wire::Context& context, std::string name) {
  const auto master = co_await service.master().get();
  const base::Time now = context.now();
  Key key{.address = {context.account, context.region, base::new_uuid()},
          .usage = std::string(wire::kms::KeyUsage::kEncryptDecrypt),
          .spec = std::string(wire::kms::KeySpec::kSymmetricDefault),
          .created = now,
          .is_aws_managed = true};
  const std::string_view owner = service_of_alias(name);
  key.description = cat("Default key that protects what ", owner, " keeps when no other key is defined");
  key.policy = policy_of_service(context.account, context.region, owner);
  const Material material = new_material(*master, key, now, "");
  key.material = material.id;
  co_return co_await service.store().transact([&](store::Transaction& txn) -> Task<Key> {
    if (const auto alias = co_await find_alias(txn, context.account, context.region, name)) {
      co_return co_await load_key(txn, alias->key());
    }
    save_key(txn, key);
    save_material(txn, key.address, material);
    save_alias(txn, {context.account, context.region, name, key.address.id, now, now});
    co_return key;
  });
}

}  // namespace

KeyAddress parse_key_id(const wire::Context& context, std::string_view text) {
  std::string_view id = resource_of(context, text);
  if (text.starts_with("arn:")) {
    if (!id.starts_with(kKeyStart)) throw errors::invalid_arn_exception(cat("Invalid arn ", text));
    id.remove_prefix(kKeyStart.size());
  }
  if (!is_uuid(id)) throw invalid_id(text);
  return {context.account, context.region, std::string(id)};
}

Task<Key> load_key(store::Snapshot& reader, KeyAddress address) {
  auto key = co_await find_key(reader, address);
  if (!key) throw errors::not_found_exception(cat("Key '", address.arn(), "' does not exist"));
  co_return *std::move(key);
}

Task<Key> resolve_key(Service& service, wire::Context& context, std::string text) {
  const auto snapshot = service.store().snapshot();
  const std::string name(resource_of(context, text));
  if (!name.starts_with(kAliasStart)) co_return co_await load_key(*snapshot, parse_key_id(context, text));
  const auto alias = co_await find_alias(*snapshot, context.account, context.region, name);
  if (alias) co_return co_await load_key(*snapshot, alias->key());
  if (!service_of_alias(name).empty()) co_return co_await make_aws_key(service, context, name);
  throw errors::not_found_exception(cat("Alias ", alias_arn(context.account, context.region, name), " is not found."));
}

void require_kept(const Key& key) {
  if (key.deletion) throw errors::kms_invalid_state_exception(cat(key.address.arn(), " is pending deletion."));
}

void require_enabled(const Key& key) {
  require_kept(key);
  if (!key.enabled) throw errors::disabled_exception(cat(key.address.arn(), " is disabled."));
}

void require_usable(const Key& key, std::string_view usage, std::string_view operation) {
  require_enabled(key);
  if (key.usage == usage) return;
  throw errors::invalid_key_usage_exception(
      cat(key.address.arn(), " key usage is ", key.usage, " which is not valid for ", operation, "."));
}

void require_customers(const Key& key, std::string_view operation) {
  if (!key.is_aws_managed) return;
  throw errors::access_denied_exception(cat("The caller is not authorized to perform: kms:", operation, " on resource: ",
                                            key.address.arn(), " because it is an AWS managed key"));
}

}  // namespace tidemill::kms
