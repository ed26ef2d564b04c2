// CreateGroup, GetGroup, ListGroups, UpdateGroup, DeleteGroup, AddUserToGroup, RemoveUserFromGroup and ListGroupsForUser.
#include "services/iam/describing.h"
#include "services/iam/listing.h"
#include "services/iam/operations.h"
#include "services/iam/requests.h"

namespace tidemill::iam {
namespace {

constexpr size_t kGroupsOfUserMax = 10;

// The page of `names` that `request` wants, as the identities of that kind.
template <class Output, class Input>
Task<std::vector<Identity>> load_some(store::Snapshot& reader, Output& out, const Input& request, Kind kind,
                                      const std::string& account, const NameSet& names) {
  std::vector<Identity> found;
  NameSet wanted;
  list_some(
      out, request, names, [](const std::string& name) -> const std::string& { return name; },
      [&](const std::string& name) { wanted.insert(name); });
  for (const std::string& name : wanted) found.push_back(co_await load_identity(reader, {kind, account, name}));
  co_return found;
}

}  // namespace

Task<shapes::CreateGroupOutput> create_group(Service& service, wire::Context& context,
                                             const shapes::CreateGroupInput& request) {
  Identity group = new_identity(address_of(context, request), context.now());
  group.path = request.path.value_or(group.path);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    co_await check_new(txn, group.address);
    put_identity(txn, group);
  });
  co_return shapes::CreateGroupOutput{.group = describe_group(group)};
}

Task<shapes::GetGroupOutput> get_group(Service& service, wire::Context& context,
                                       const shapes::GetGroupInput& request) {
  const auto snapshot = service.store().snapshot();
  const Identity group = co_await load_identity(*snapshot, address_of(context, request));
  shapes::GetGroupOutput out{.group = describe_group(group)};
  for (const Identity& user :
       co_await load_some(*snapshot, out, request, Kind::user, context.account, group.members)) {
    out.users.push_back(describe_user(user, Shown::listed));
  }
  co_return out;
}

Task<shapes::ListGroupsOutput> list_groups(Service& service, wire::Context& context,
                                           const shapes::ListGroupsInput& request) {
  const auto snapshot = service.store().snapshot();
  co_return co_await list_records(*snapshot, identities_range(Kind::group, context.account), request,
                                  shapes::ListGroupsOutput{}, [&](shapes::ListGroupsOutput& out, std::string_view bytes) {
                                    const Identity group = decode_identity(Kind::group, context.account, bytes);
                                    if (!is_under(group.path, request.path_prefix)) return false;
                                    out.groups.push_back(describe_group(group));
                                    return true;
                                  });
}

Task<shapes::UpdateGroupOutput> update_group(Service& service, wire::Context& context,
                                             const shapes::UpdateGroupInput& request) {
  const IdentityAddress address = address_of(context, request);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Identity group = co_await load_identity(txn, address);
    group.path = request.new_path.value_or(group.path);
    const std::string name = request.new_group_name.value_or(address.name);
    if (name != address.name) {
      for (const std::string& member : group.members) {
        Identity user = co_await load_identity(txn, {Kind::user, address.account, member});
        user.groups.erase(address.name);
        user.groups.insert(name);
        put_identity(txn, user);
      }
      txn.erase(identity_key(address));
      group.address.name = name;
      co_await check_new(txn, group.address);
    }
    put_identity(txn, group);
  });
  co_return shapes::UpdateGroupOutput{};
}

Task<shapes::DeleteGroupOutput> delete_group(Service& service, wire::Context& context,
                                             const shapes::DeleteGroupInput& request) {
  const IdentityAddress address = address_of(context, request);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const Identity group = co_await load_identity(txn, address);
    if (!group.members.empty()) throw conflict("Cannot delete entity, must remove users from group first.");
    if (!group.attached.empty()) throw conflict("Cannot delete entity, must detach all policies first.");
    if (!group.inline_policies.empty()) throw conflict("Cannot delete entity, must delete policies first.");
    txn.erase(identity_key(address));
  });
  co_return shapes::DeleteGroupOutput{};
}

Task<shapes::AddUserToGroupOutput> add_user_to_group(Service& service, wire::Context& context,
                                                     const shapes::AddUserToGroupInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Identity group = co_await load_identity(txn, {Kind::group, context.account, request.group_name});
    Identity user = co_await load_identity(txn, {Kind::user, context.account, request.user_name});
    if (!user.groups.insert(request.group_name).second) co_return;
    if (user.groups.size() > kGroupsOfUserMax) throw over_quota("GroupsPerUser", kGroupsOfUserMax);
    group.members.insert(request.user_name);
    put_identity(txn, group);
    put_identity(txn, user);
  });
  co_return shapes::AddUserToGroupOutput{};
}

Task<shapes::RemoveUserFromGroupOutput> remove_user_from_group(Service& service, wire::Context& context,
                                                               const shapes::RemoveUserFromGroupInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Identity group = co_await load_identity(txn, {Kind::group, context.account, request.group_name});
    Identity user = co_await load_identity(txn, {Kind::user, context.account, request.user_name});
    if (user.groups.erase(request.group_name) == 0) co_return;
    group.members.erase(request.user_name);
    put_identity(txn, group);
    put_identity(txn, user);
  });
  co_return shapes::RemoveUserFromGroupOutput{};
}

Task<shapes::ListGroupsForUserOutput> list_groups_for_user(Service& service, wire::Context& context,
                                                           const shapes::ListGroupsForUserInput& request) {
  const auto snapshot = service.store().snapshot();
  const Identity user = co_await load_identity(*snapshot, {Kind::user, context.account, request.user_name});
  shapes::ListGroupsForUserOutput out;
  for (const Identity& group :
       co_await load_some(*snapshot, out, request, Kind::group, context.account, user.groups)) {
    out.groups.push_back(describe_group(group));
  }
  co_return out;
}

}  // namespace tidemill::iam
