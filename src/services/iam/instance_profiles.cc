// CreateInstanceProfile, GetInstanceProfile, ListInstanceProfiles, ListInstanceProfilesForRole, DeleteInstanceProfile,
// AddRoleToInstanceProfile and RemoveRoleFromInstanceProfile.
#include "engine/policy_principals.h"
#include "services/iam/describing.h"
#include "services/iam/listing.h"
#include "services/iam/operations.h"
#include "services/iam/requests.h"

namespace tidemill::iam {
namespace {

constexpr std::string_view kProfileIds = "AIPA";
constexpr size_t kRolesOfProfileMax = 1;

Task<shapes::InstanceProfile> describe(const wire::Context& context, store::Snapshot& reader,
                                       const InstanceProfile& profile, Shown shown) {
  std::optional<Identity> role;
  if (!profile.role.empty()) role = co_await find_identity(reader, {Kind::role, profile.account, profile.role});
  if (role) role->trust = co_await engine::with_arns(context, std::move(role->trust));
  co_return describe_profile(profile, role, shown);
}

}  // namespace

Task<shapes::CreateInstanceProfileOutput> create_instance_profile(Service& service, wire::Context& context,
                                                                  const shapes::CreateInstanceProfileInput& request) {
  InstanceProfile profile{.account = context.account,
                          .name = request.instance_profile_name,
                          .path = request.path.value_or(std::string(kRootPath)),
                          .id = new_id(kProfileIds),
                          .created = context.now()};
  if (request.tags) profile.tags = with_tags({}, *request.tags);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (co_await txn.get(profile_key(profile.account, profile.name))) throw exists("Instance Profile", profile.name);
    put_profile(txn, profile);
  });
  co_return shapes::CreateInstanceProfileOutput{.instance_profile = describe_profile(profile, {}, Shown::created)};
}

Task<shapes::GetInstanceProfileOutput> get_instance_profile(Service& service, wire::Context& context,
                                                            const shapes::GetInstanceProfileInput& request) {
  const auto snapshot = service.store().snapshot();
  const InstanceProfile profile = co_await load_profile(*snapshot, context.account, request.instance_profile_name);
  shapes::GetInstanceProfileOutput out;
  out.instance_profile = co_await describe(context, *snapshot, profile, Shown::whole);
  co_return out;
}

Task<shapes::ListInstanceProfilesOutput> list_instance_profiles(Service& service, wire::Context& context,
                                                                const shapes::ListInstanceProfilesInput& request) {
  const auto snapshot = service.store().snapshot();
  std::vector<InstanceProfile> found;
  auto out = co_await list_records(*snapshot, profiles_range(context.account), request,
                                   shapes::ListInstanceProfilesOutput{},
                                   [&](shapes::ListInstanceProfilesOutput&, std::string_view bytes) {
                                     InstanceProfile profile = decode_profile(context.account, bytes);
                                     if (!is_under(profile.path, request.path_prefix)) return false;
                                     found.push_back(std::move(profile));
                                     return true;
                                   });
  for (const InstanceProfile& profile : found) {
    out.instance_profiles.push_back(co_await describe(context, *snapshot, profile, Shown::listed));
  }
  co_return out;
}

Task<shapes::ListInstanceProfilesForRoleOutput> list_instance_profiles_for_role(
    Service& service, wire::Context& context, const shapes::ListInstanceProfilesForRoleInput& request) {
  const auto snapshot = service.store().snapshot();
  Identity role = co_await load_identity(*snapshot, address_of(context, request));
  role.trust = co_await engine::with_arns(context, std::move(role.trust));
  NameSet wanted;
  shapes::ListInstanceProfilesForRoleOutput out;
  list_some(
      out, request, role.instance_profiles, [](const std::string& name) -> const std::string& { return name; },
      [&](const std::string& name) { wanted.insert(name); });
  for (const std::string& name : wanted) {
    const InstanceProfile profile = co_await load_profile(*snapshot, context.account, name);
    out.instance_profiles.push_back(describe_profile(profile, role, Shown::listed));
  }
  co_return out;
}

Task<shapes::DeleteInstanceProfileOutput> delete_instance_profile(Service& service, wire::Context& context,
                                                                  const shapes::DeleteInstanceProfileInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const InstanceProfile profile = co_await load_profile(txn, context.account, request.instance_profile_name);
    if (!profile.role.empty()) throw conflict("Cannot delete entity, must remove roles from instance profile first.");
    txn.erase(profile_key(profile.account, profile.name));
  });
  co_return shapes::DeleteInstanceProfileOutput{};
}

Task<shapes::AddRoleToInstanceProfileOutput> add_role_to_instance_profile(
    Service& service, wire::Context& context, const shapes::AddRoleToInstanceProfileInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    InstanceProfile profile = co_await load_profile(txn, context.account, request.instance_profile_name);
    Identity role = co_await load_identity(txn, {Kind::role, context.account, request.role_name});
    check_modifiable(role);
    if (!profile.role.empty()) throw over_quota("InstanceSessionsPerInstanceProfile", kRolesOfProfileMax);
    profile.role = request.role_name;
    role.instance_profiles.insert(profile.name);
    put_profile(txn, profile);
    put_identity(txn, role);
  });
  co_return shapes::AddRoleToInstanceProfileOutput{};
}

Task<shapes::RemoveRoleFromInstanceProfileOutput> remove_role_from_instance_profile(
    Service& service, wire::Context& context, const shapes::RemoveRoleFromInstanceProfileInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    InstanceProfile profile = co_await load_profile(txn, context.account, request.instance_profile_name);
    Identity role = co_await load_identity(txn, {Kind::role, context.account, request.role_name});
    check_modifiable(role);
    if (profile.role != request.role_name) throw no_such("role", request.role_name);
    profile.role.clear();
    role.instance_profiles.erase(profile.name);
    put_profile(txn, profile);
    put_identity(txn, role);
  });
  co_return shapes::RemoveRoleFromInstanceProfileOutput{};
}

}  // namespace tidemill::iam
