// Put, Get, Delete and List of the policies that a user, group or role has for itself.
#include "base/text.h"
#include "services/iam/documents.h"
#include "services/iam/listing.h"
#include "services/iam/operations.h"
#include "services/iam/requests.h"

namespace tidemill::iam {

namespace ops = shapes::ops;

namespace {

using base::cat;

// Of all inline policies of one, without white space.
size_t inline_size_max(Kind kind) { return kind == Kind::user ? 2048 : kind == Kind::group ? 5120 : 10240; }

void check_inline_size(const Identity& identity) {
  size_t size = 0;
  for (const auto& [name, document] : identity.inline_policies) size += counted_size(document);
  const size_t most = inline_size_max(identity.address.kind);
  if (size > most) {
    throw errors::limit_exceeded_exception(cat("Maximum policy size of ", most, " bytes exceeded for ",
                                               name_of(identity.address.kind), " ", identity.address.name));
  }
}

wire::Error no_inline_policy(Kind kind, std::string_view name) { return no_such(cat(name_of(kind), " policy"), name); }

}  // namespace

template <class Op>
Task<typename Op::Response> put_inline_policy(Service& service, wire::Context& context,
                                              const typename Op::Request& request) {
  check_document(DocumentKind::identity, request.policy_document);
  co_await change_identity(service.store(), address_of(context, request), [&](Identity& identity) {
    identity.inline_policies.insert_or_assign(request.policy_name, request.policy_document);
    check_inline_size(identity);
  });
  co_return typename Op::Response{};
}

template <class Op>
Task<typename Op::Response> get_inline_policy(Service& service, wire::Context& context,
                                              const typename Op::Request& request) {
  const auto snapshot = service.store().snapshot();
  const IdentityAddress address = address_of(context, request);
  const Identity identity = co_await load_identity(*snapshot, address);
  const auto found = identity.inline_policies.find(request.policy_name);
  if (found == identity.inline_policies.end()) throw no_inline_policy(address.kind, request.policy_name);
  typename Op::Response out;
  if constexpr (requires { out.role_name; }) {
    out.role_name = address.name;
  } else if constexpr (requires { out.group_name; }) {
    out.group_name = address.name;
  } else {
    out.user_name = address.name;
  }
  out.policy_name = request.policy_name;
  out.policy_document = url_encoded(found->second);
  co_return out;
}

template <class Op>
Task<typename Op::Response> delete_inline_policy(Service& service, wire::Context& context,
                                                 const typename Op::Request& request) {
  co_await change_identity(service.store(), address_of(context, request), [&](Identity& identity) {
    if (identity.inline_policies.erase(request.policy_name) == 0) {
      throw no_inline_policy(identity.address.kind, request.policy_name);
    }
  });
  co_return typename Op::Response{};
}

template <class Op>
Task<typename Op::Response> list_inline_policies(Service& service, wire::Context& context,
                                                 const typename Op::Request& request) {
  const auto snapshot = service.store().snapshot();
  const Identity identity = co_await load_identity(*snapshot, address_of(context, request));
  typename Op::Response out;
  list_some(
      out, request, identity.inline_policies, [](const auto& each) -> const std::string& { return each.first; },
      [&](const auto& each) { out.policy_names.push_back(each.first); });
  co_return out;
}

template Task<shapes::PutRolePolicyOutput> put_inline_policy<ops::PutRolePolicy>(
    Service&, wire::Context&, const shapes::PutRolePolicyInput&);
template Task<shapes::GetRolePolicyOutput> get_inline_policy<ops::GetRolePolicy>(
    Service&, wire::Context&, const shapes::GetRolePolicyInput&);
template Task<shapes::DeleteRolePolicyOutput> delete_inline_policy<ops::DeleteRolePolicy>(
    Service&, wire::Context&, const shapes::DeleteRolePolicyInput&);
template Task<shapes::ListRolePoliciesOutput> list_inline_policies<ops::ListRolePolicies>(
    Service&, wire::Context&, const shapes::ListRolePoliciesInput&);
template Task<shapes::PutUserPolicyOutput> put_inline_policy<ops::PutUserPolicy>(
    Service&, wire::Context&, const shapes::PutUserPolicyInput&);
template Task<shapes::GetUserPolicyOutput> get_inline_policy<ops::GetUserPolicy>(
    Service&, wire::Context&, const shapes::GetUserPolicyInput&);
template Task<shapes::DeleteUserPolicyOutput> delete_inline_policy<ops::DeleteUserPolicy>(
    Service&, wire::Context&, const shapes::DeleteUserPolicyInput&);
template Task<shapes::ListUserPoliciesOutput> list_inline_policies<ops::ListUserPolicies>(
    Service&, wire::Context&, const shapes::ListUserPoliciesInput&);
template Task<shapes::PutGroupPolicyOutput> put_inline_policy<ops::PutGroupPolicy>(
    Service&, wire::Context&, const shapes::PutGroupPolicyInput&);
template Task<shapes::GetGroupPolicyOutput> get_inline_policy<ops::GetGroupPolicy>(
    Service&, wire::Context&, const shapes::GetGroupPolicyInput&);
template Task<shapes::DeleteGroupPolicyOutput> delete_inline_policy<ops::DeleteGroupPolicy>(
    Service&, wire::Context&, const shapes::DeleteGroupPolicyInput&);
template Task<shapes::ListGroupPoliciesOutput> list_inline_policies<ops::ListGroupPolicies>(
    Service&, wire::Context&, const shapes::ListGroupPoliciesInput&);

}  // namespace tidemill::iam
