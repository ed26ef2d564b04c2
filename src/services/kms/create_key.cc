// CreateKey.
#include "base/uuid.h"
#include "services/kms/describing.h"
#include "services/kms/operations.h"
#include "services/kms/policy.h"
#include "services/kms/tags.h"

namespace tidemill::kms {
namespace {

using base::cat;
namespace errors = shapes::errors;

std::string spec_of(const shapes::CreateKeyInput& request) {
  if (request.key_spec && request.customer_master_key_spec) {
    throw errors::validation_exception(
        "You cannot specify KeySpec and CustomerMasterKeySpec in the same request. CustomerMasterKeySpec is deprecated.");
  }
  if (request.key_spec) return *request.key_spec;
  return request.customer_master_key_spec.value_or(std::string(shapes::KeySpec::kSymmetricDefault));
}

std::string usage_of(const shapes::CreateKeyInput& request, const std::string& spec) {
  namespace KeyUsage = shapes::KeyUsage;
  const bool is_symmetric = spec == shapes::KeySpec::kSymmetricDefault;
  if (!is_symmetric && !spec.starts_with("HMAC_")) {
    throw errors::unsupported_operation_exception(
        cat("Tidemill does not support keys of the spec ", spec, ": there are no asymmetric keys."));
  }
  if (!is_symmetric && !request.key_usage) {
    throw errors::validation_exception(
        "You must specify a KeyUsage value for all KMS keys except for symmetric encryption keys.");
  }
  std::string usage = request.key_usage.value_or(std::string(KeyUsage::kEncryptDecrypt));
  if (usage != (is_symmetric ? KeyUsage::kEncryptDecrypt : KeyUsage::kGenerateVerifyMac)) {
    throw errors::validation_exception(cat("KeyUsage ", usage, " is not compatible with KeySpec ", spec));
  }
  return usage;
}

}  // namespace

Task<shapes::CreateKeyOutput> create_key(Service& service, wire::Context& context,
                                         const shapes::CreateKeyInput& request) {
  Key key{.address = {context.account, context.region, base::new_uuid()}, .created = context.now()};
  key.spec = spec_of(request);
  key.usage = usage_of(request, key.spec);
  key.description = request.description.value_or("");
  key.policy = co_await checked_policy(context, request.policy.value_or(default_policy(context.account)));
  if (!request.bypass_policy_lockout_safety_check.value_or(false)) {
    co_await check_lockout(context, key.address.arn(), key.policy);
  }
  if (request.tags) key.tags = with_tags({}, *request.tags);
  const auto master = co_await service.master().get();
  const Material material = new_material(*master, key, key.created, "");
  key.material = material.id;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    save_key(txn, key);
    save_material(txn, key.address, material);
    co_return;
  });
  shapes::CreateKeyOutput out;
  out.key_metadata = describe(key);
  co_return out;
}

}  // namespace tidemill::kms
