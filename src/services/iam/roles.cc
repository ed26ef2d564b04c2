// CreateRole, GetRole, ListRoles, UpdateRole, UpdateRoleDescription, UpdateAssumeRolePolicy and DeleteRole.
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
  check_trust(request.assume_role_policy_document);
  Identity role = new_identity(address_of(context, request), context.now());
  role.path = request.path.value_or(role.path);
  role.trust = request.assume_role_policy_document;
  role.description = request.description;
  role.session_seconds_max = request.max_session_duration.value_or(role.session_seconds_max);
  role.boundary = request.permissions_boundary.value_or("");
  if (request.tags) role.tags = with_tags({}, *request.tags);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    co_await check_new(txn, role.address);
    if (!role.boundary.empty()) co_await count_use(txn, context.account, role.boundary, {.bounds = 1});
    put_identity(txn, role);
  });
  co_return shapes::CreateRoleOutput{.role = describe_role(role, Shown::created)};
}

Task<shapes::GetRoleOutput> get_role(Service& service, wire::Context& context, const shapes::GetRoleInput& request) {
  const auto snapshot = service.store().snapshot();
  const Identity role = co_await load_identity(*snapshot, address_of(context, request));
  co_return shapes::GetRoleOutput{.role = describe_role(role, Shown::whole)};
}

Task<shapes::ListRolesOutput> list_roles(Service& service, wire::Context& context,
                                         const shapes::ListRolesInput& request) {
  const auto snapshot = service.store().snapshot();
  co_return co_await list_records(*snapshot, identities_range(Kind::role, context.account), request,
                                  shapes::ListRolesOutput{}, [&](shapes::ListRolesOutput& out, std::string_view bytes) {
                                    const Identity role = decode_identity(Kind::role, context.account, bytes);
                                    if (!is_under(role.path, request.path_prefix)) return false;
                                    out.roles.push_back(describe_role(role, Shown::listed));
                                    return true;
                                  });
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
  shapes::UpdateRoleDescriptionOutput out;
  co_await change_identity(service.store(), address_of(context, request), [&](Identity& role) {
    role.description = request.description;
    out.role = describe_role(role, Shown::whole);
  });
  co_return out;
}

Task<shapes::UpdateAssumeRolePolicyOutput> update_assume_role_policy(
    Service& service, wire::Context& context, const shapes::UpdateAssumeRolePolicyInput& request) {
  check_trust(request.policy_document);
  co_await change_identity(service.store(), address_of(context, request),
                           [&](Identity& role) { role.trust = request.policy_document; });
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
    txn.erase(identity_key(address));
  });
  co_return shapes::DeleteRoleOutput{};
}

}  // namespace tidemill::iam
