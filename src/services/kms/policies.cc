// GetKeyPolicy, PutKeyPolicy and ListKeyPolicies.
#include "engine/policy_principals.h"
#include "services/kms/changing.h"
#include "services/kms/lookup.h"
#include "services/kms/operations.h"
#include "services/kms/policy.h"

namespace tidemill::kms {

Task<shapes::GetKeyPolicyOutput> get_key_policy(Service& service, wire::Context& context,
                                                const shapes::GetKeyPolicyInput& request) {
  const auto snapshot = service.store().snapshot();
  const Key key = co_await load_key(*snapshot, parse_key_id(context, request.key_id));
  check_policy_name(request.policy_name.value_or(std::string(kPolicyName)));
  shapes::GetKeyPolicyOutput out;
  out.policy = co_await engine::with_arns(context, key.policy);
  out.policy_name = kPolicyName;
  co_return out;
}

Task<shapes::PutKeyPolicyOutput> put_key_policy(Service& service, wire::Context& context,
                                                const shapes::PutKeyPolicyInput& request) {
  check_policy_name(request.policy_name.value_or(std::string(kPolicyName)));
  const std::string policy = co_await checked_policy(context, request.policy);
  if (!request.bypass_policy_lockout_safety_check.value_or(false)) {
    co_await check_lockout(context, parse_key_id(context, request.key_id).arn(), policy);
  }
  co_await change_key(service, context, request.key_id, "PutKeyPolicy", [&](Key& key) { key.policy = policy; });
  co_return shapes::PutKeyPolicyOutput{};
}

Task<shapes::ListKeyPoliciesOutput> list_key_policies(Service& service, wire::Context& context,
                                                      const shapes::ListKeyPoliciesInput& request) {
  const auto snapshot = service.store().snapshot();
  (void)co_await load_key(*snapshot, parse_key_id(context, request.key_id));
  // There is one page: nobody was given a marker.
  if (request.marker) throw shapes::errors::validation_exception("The marker is not valid.");
  shapes::ListKeyPoliciesOutput out;
  out.policy_names = {{std::string(kPolicyName)}};
  out.truncated = false;
  co_return out;
}

}  // namespace tidemill::kms
