// Attach, Detach and ListAttached of managed policies.
#include "services/iam/listing.h"
#include "services/iam/managed_policy.h"
#include "services/iam/operations.h"
#include "services/iam/requests.h"

namespace tidemill::iam {

namespace ops = shapes::ops;

namespace {

constexpr size_t kAttachedMax = 10;

std::string_view quota_of(Kind kind) {
  return kind == Kind::user ? "PoliciesPerUser" : kind == Kind::group ? "PoliciesPerGroup" : "PoliciesPerRole";
}

}  // namespace

template <class Op>
Task<typename Op::Response> attach_policy(Service& service, wire::Context& context,
                                          const typename Op::Request& request) {
  const IdentityAddress address = address_of(context, request);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Identity identity = co_await load_identity(txn, address);
    check_modifiable(identity);
    if (identity.attached.contains(request.policy_arn)) co_return;
    co_await count_use(txn, address.account, request.policy_arn, {.attachments = 1});
    if (identity.attached.size() == kAttachedMax) throw over_quota(quota_of(address.kind), kAttachedMax);
    identity.attached.insert(request.policy_arn);
    put_identity(txn, identity);
  });
  co_return typename Op::Response{};
}

template <class Op>
Task<typename Op::Response> detach_policy(Service& service, wire::Context& context,
                                          const typename Op::Request& request) {
  const IdentityAddress address = address_of(context, request);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Identity identity = co_await load_identity(txn, address);
    check_modifiable(identity);
    if (identity.attached.erase(request.policy_arn) == 0) {
      (void)parse_policy_arn(request.policy_arn);
      throw no_policy(request.policy_arn);
    }
    co_await count_use(txn, address.account, request.policy_arn, {.attachments = -1});
    put_identity(txn, identity);
  });
  co_return typename Op::Response{};
}

template <class Op>
Task<typename Op::Response> list_attached_policies(Service& service, wire::Context& context,
                                                   const typename Op::Request& request) {
  const auto snapshot = service.store().snapshot();
  const Identity identity = co_await load_identity(*snapshot, address_of(context, request));
  NameSet wanted;
  for (const std::string& arn : identity.attached) {
    if (is_under(parse_policy_arn(arn).path, request.path_prefix)) wanted.insert(arn);
  }
  typename Op::Response out;
  out.attached_policies.emplace();
  list_some(
      out, request, wanted, [](const std::string& arn) -> const std::string& { return arn; },
      [&](const std::string& arn) {
        shapes::AttachedPolicy policy;
        policy.policy_name = parse_policy_arn(arn).name;
        policy.policy_arn = arn;
        out.attached_policies->push_back(std::move(policy));
      });
  co_return out;
}

template Task<shapes::AttachRolePolicyOutput> attach_policy<ops::AttachRolePolicy>(
    Service&, wire::Context&, const shapes::AttachRolePolicyInput&);
template Task<shapes::DetachRolePolicyOutput> detach_policy<ops::DetachRolePolicy>(
    Service&, wire::Context&, const shapes::DetachRolePolicyInput&);
template Task<shapes::ListAttachedRolePoliciesOutput> list_attached_policies<ops::ListAttachedRolePolicies>(
    Service&, wire::Context&, const shapes::ListAttachedRolePoliciesInput&);
template Task<shapes::AttachUserPolicyOutput> attach_policy<ops::AttachUserPolicy>(
    Service&, wire::Context&, const shapes::AttachUserPolicyInput&);
template Task<shapes::DetachUserPolicyOutput> detach_policy<ops::DetachUserPolicy>(
    Service&, wire::Context&, const shapes::DetachUserPolicyInput&);
template Task<shapes::ListAttachedUserPoliciesOutput> list_attached_policies<ops::ListAttachedUserPolicies>(
    Service&, wire::Context&, const shapes::ListAttachedUserPoliciesInput&);
template Task<shapes::AttachGroupPolicyOutput> attach_policy<ops::AttachGroupPolicy>(
    Service&, wire::Context&, const shapes::AttachGroupPolicyInput&);
template Task<shapes::DetachGroupPolicyOutput> detach_policy<ops::DetachGroupPolicy>(
    Service&, wire::Context&, const shapes::DetachGroupPolicyInput&);
template Task<shapes::ListAttachedGroupPoliciesOutput> list_attached_policies<ops::ListAttachedGroupPolicies>(
    Service&, wire::Context&, const shapes::ListAttachedGroupPoliciesInput&);

}  // namespace tidemill::iam
