// CreateRole, GetRole, ListRoles, UpdateRole, UpdateRoleDescription, UpdateAssumeRolePolicy and DeleteRole.
#include "base/text.h"
#include "engine/policy_principals.h"
#include "services/iam/describing.h"
#include "services/iam/documents.h"
#include "services/iam/listing.h"
#include "services/iam/operations.h"
#include "services/iam/requests.h"

namespace tidemill::iam {
namespace {

constexpr size_t kTrustSizeMax = 2048;

void check_trust(std::string_view document) {
  check_document(DocumentKind::trust, document);
  if (counted_size(document) > kTrustSizeMax) throw over_quota("ACLSizePerRole", kTrustSizeMax);
}

// As it is kept.
Task<std::string> checked_trust(const wire::Context& context, const std::string& document) {
  check_trust(document);
  co_return co_await engine::with_ids(context, document, [](std::string_view principal) {
    return malformed(base::cat("Invalid principal in policy: \"AWS\":\"", principal, "\""));
  });
}

void check_unused(const Identity& role) {
  if (!role.attached.empty()) throw conflict("Cannot delete entity, must detach all policies first.");
  if (!role.inline_policies.empty()) throw conflict("Cannot delete entity, must delete policies first.");
  if (!role.instance_profiles.empty()) {
    throw conflict("Cannot delete entity, must remove roles from instance profile first.");
  }
}

}  // namespace

Task<shapes::CreateRoleOutput> create_role(Service& service, wire::Context& context,
                                           const shapes::CreateRoleInput& request) {
  std::string trust = co_await checked_trust(context, request.assume_role_policy_document);
  Identity role = new_identity(address_of(context, request), context.now());
  role.path = request.path.value_or(role.path);
  role.trust = std::move(trust);
  role.description = request.description;
  role.session_seconds_max = request.max_session_duration.value_or(role.session_seconds_max);
  role.boundary = request.permissions_boundary.value_or("");
  if (request.tags) role.tags = with_tags({}, *request.tags);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    co_await check_new(txn, role.address);
    if (!role.boundary.empty()) co_await count_use(txn, context.account, role.boundary, {.bounds = 1});
    put_identity(txn, role);
  });
  co_return shapes::CreateRoleOutput{.role = co_await tell_role(context, std::move(role), Shown::created)};
}

Task<shapes::GetRoleOutput> get_role(Service& service, wire::Context& context, const shapes::GetRoleInput& request) {
  const auto snapshot = service.store().snapshot();
  Identity role = co_await load_identity(*snapshot, address_of(context, request));
  co_return shapes::GetRoleOutput{.role = co_await tell_role(context, std::move(role), Shown::whole)};
}

Task<shapes::ListRolesOutput> list_roles(Service& service, wire::Context& context,
                                         const shapes::ListRolesInput& request) {
  const auto snapshot = service.store().snapshot();
  std::vector<Identity> roles;
  auto out = co_await list_records(*snapshot, identities_range(Kind::role, context.account), request,
                                   shapes::ListRolesOutput{}, [&](shapes::ListRolesOutput&, std::string_view bytes) {
                                     Identity role = decode_identity(Kind::role, context.account, bytes);
                                     if (!is_under(role.path, request.path_prefix)) return false;
                                     roles.push_back(std::move(role));
                                     return true;
                                   });
  for (Identity& role : roles) out.roles.push_back(co_await tell_role(context, std::move(role), Shown::listed));
  co_return out;
}

Task<shapes::UpdateRoleOutput> update_role(Service& service, wire::Context& context,
                                           const shapes::UpdateRoleInput& request) {
  co_await change_identity(service.store(), address_of(context, request), [&](Identity& role) {
    if (request.description) role.description = request.description;
    role.session_seconds_max = request.max_session_duration.value_or(role.session_seconds_max);
  });
  co_return shapes::UpdateRoleOutput{};
}

Task<shapes::UpdateRoleDescriptionOutput> update_role_description(Service& service, wire::Context& context,
                                                                  const shapes::UpdateRoleDescriptionInput& request) {
  Identity changed;
  co_await change_identity(service.store(), address_of(context, request), [&](Identity& role) {
    role.description = request.description;
    changed = role;
  });
  shapes::UpdateRoleDescriptionOutput out;
  out.role = co_await tell_role(context, std::move(changed), Shown::whole);
  co_return out;
}

Task<shapes::UpdateAssumeRolePolicyOutput> update_assume_role_policy(
    Service& service, wire::Context& context, const shapes::UpdateAssumeRolePolicyInput& request) {
  const std::string trust = co_await checked_trust(context, request.policy_document);
  co_await change_identity(service.store(), address_of(context, request), [&](Identity& role) { role.trust = trust; });
  co_return shapes::UpdateAssumeRolePolicyOutput{};
}

Task<shapes::DeleteRoleOutput> delete_role(Service& service, wire::Context& context,
                                           const shapes::DeleteRoleInput& request) {
  const IdentityAddress address = address_of(context, request);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const Identity role = co_await load_identity(txn, address);
    check_modifiable(role);
    check_unused(role);
    if (!role.boundary.empty()) co_await count_use(txn, context.account, role.boundary, {.bounds = -1});
    erase_identity(txn, role);
  });
  co_return shapes::DeleteRoleOutput{};
}

}  // namespace tidemill::iam
