// DescribeKey, ListKeys, EnableKey, DisableKey and UpdateKeyDescription.
#include "services/kms/changing.h"
#include "services/kms/describing.h"
#include "services/kms/lookup.h"
#include "services/kms/operations.h"

namespace tidemill::kms {
namespace {

constexpr int32_t kPageUsual = 100;

}  // namespace

std::string state_of(const Key& key) {
  if (key.deletion) return "PendingDeletion";
  return key.enabled ? "Enabled" : "Disabled";
}

shapes::KeyMetadata describe(const Key& key) {
  shapes::KeyMetadata shown;
  shown.aws_account_id = key.address.account;
  shown.key_id = key.address.id;
  shown.arn = key.address.arn();
  shown.creation_date = key.created;
  shown.enabled = key.enabled && !key.deletion;
  shown.description = key.description;
  shown.key_usage = key.usage;
  shown.key_state = state_of(key);
  shown.deletion_date = key.deletion;
  shown.origin = "AWS_KMS";
  shown.key_manager = key.is_aws_managed ? "AWS" : "CUSTOMER";
  shown.customer_master_key_spec = key.spec;
  shown.key_spec = key.spec;
  if (key.is_symmetric()) {
    shown.encryption_algorithms = {{key.spec}};
    shown.current_key_material_id = key.material;
  } else {
    shown.mac_algorithms = {{base::cat("HMAC_SHA_", key.spec.substr(key.spec.rfind('_') + 1))}};
  }
  shown.multi_region = false;
  return shown;
}

Task<shapes::DescribeKeyOutput> describe_key(Service& service, wire::Context& context,
                                             const shapes::DescribeKeyInput& request) {
  shapes::DescribeKeyOutput out;
  out.key_metadata = describe(co_await resolve_key(service, context, request.key_id));
  co_return out;
}

Task<shapes::ListKeysOutput> list_keys(Service& service, wire::Context& context, const shapes::ListKeysInput& request) {
  const auto snapshot = service.store().snapshot();
  shapes::ListKeysOutput out;
  out.keys.emplace();
  co_await list_records(out, *snapshot, keys_range(context.account, context.region), request, kPageUsual,
                        [&](std::string_view record, std::string_view) {
                          const KeyAddress address = address_of_record(record);
                          out.keys->push_back({.key_id = address.id, .key_arn = address.arn()});
                          return true;
                        });
  co_return out;
}

Task<shapes::EnableKeyOutput> enable_key(Service& service, wire::Context& context,
                                         const shapes::EnableKeyInput& request) {
  co_await change_key(service, context, request.key_id, "EnableKey", [](Key& key) {
    require_kept(key);
    key.enabled = true;
  });
  co_return shapes::EnableKeyOutput{};
}

Task<shapes::DisableKeyOutput> disable_key(Service& service, wire::Context& context,
                                           const shapes::DisableKeyInput& request) {
  co_await change_key(service, context, request.key_id, "DisableKey", [](Key& key) {
    require_kept(key);
    key.enabled = false;
  });
  co_return shapes::DisableKeyOutput{};
}

Task<shapes::UpdateKeyDescriptionOutput> update_key_description(Service& service, wire::Context& context,
                                                                const shapes::UpdateKeyDescriptionInput& request) {
  co_await change_key(service, context, request.key_id, "UpdateKeyDescription", [&](Key& key) {
    require_kept(key);
    key.description = request.description;
  });
  co_return shapes::UpdateKeyDescriptionOutput{};
}

}  // namespace tidemill::kms
