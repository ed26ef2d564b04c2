// CreateUser, GetUser, ListUsers, UpdateUser and DeleteUser.
#include "services/iam/access_key.h"
#include "services/iam/caller.h"
#include "services/iam/describing.h"
#include "services/iam/listing.h"
#include "services/iam/operations.h"
#include "services/iam/requests.h"

namespace tidemill::iam {
namespace {

void check_unused(const Identity& user) {
  if (!user.attached.empty()) throw conflict("Cannot delete entity, must detach all policies first.");
  if (!user.inline_policies.empty()) throw conflict("Cannot delete entity, must delete policies first.");
  if (!user.groups.empty()) throw conflict("Cannot delete entity, must remove users from group first.");
  if (!user.access_keys.empty()) throw conflict("Cannot delete entity, must delete access keys first.");
}

// What knows the user by its name is told the new one.
Task<void> rename_where_known(store::Transaction& txn, const Identity& user, const std::string& new_name) {
  for (const std::string& name : user.groups) {
    Identity group = co_await load_identity(txn, {Kind::group, user.address.account, name});
    group.members.erase(user.address.name);
    group.members.insert(new_name);
    put_identity(txn, group);
  }
  for (const std::string& id : user.access_keys) {
    auto key = co_await find_access_key(txn, user.address.account, id);
    if (!key) continue;
    key->user = new_name;
    put_access_key(txn, *key);
  }
}

}  // namespace

Task<shapes::CreateUserOutput> create_user(Service& service, wire::Context& context,
                                           const shapes::CreateUserInput& request) {
  Identity user = new_identity(address_of(context, request), context.now());
  user.path = request.path.value_or(user.path);
  user.boundary = request.permissions_boundary.value_or("");
  if (request.tags) user.tags = with_tags({}, *request.tags);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    co_await check_new(txn, user.address);
    if (!user.boundary.empty()) co_await count_use(txn, context.account, user.boundary, {.bounds = 1});
    put_identity(txn, user);
  });
  shapes::CreateUserOutput out;
  out.user = describe_user(user, Shown::created);
  co_return out;
}

Task<shapes::GetUserOutput> get_user(Service& service, wire::Context& context, const shapes::GetUserInput& request) {
  const auto snapshot = service.store().snapshot();
  const std::string name = co_await user_meant(*snapshot, context, request.user_name);
  const Identity user = co_await load_identity(*snapshot, {Kind::user, context.account, name});
  co_return shapes::GetUserOutput{.user = describe_user(user, Shown::whole)};
}

Task<shapes::ListUsersOutput> list_users(Service& service, wire::Context& context,
                                         const shapes::ListUsersInput& request) {
  const auto snapshot = service.store().snapshot();
  co_return co_await list_records(*snapshot, identities_range(Kind::user, context.account), request,
                                  shapes::ListUsersOutput{}, [&](shapes::ListUsersOutput& out, std::string_view bytes) {
                                    const Identity user = decode_identity(Kind::user, context.account, bytes);
                                    if (!is_under(user.path, request.path_prefix)) return false;
                                    out.users.push_back(describe_user(user, Shown::listed));
                                    return true;
                                  });
}

Task<shapes::UpdateUserOutput> update_user(Service& service, wire::Context& context,
                                           const shapes::UpdateUserInput& request) {
  const IdentityAddress address = address_of(context, request);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Identity user = co_await load_identity(txn, address);
    user.path = request.new_path.value_or(user.path);
    const std::string name = request.new_user_name.value_or(address.name);
    if (name != address.name) {
      co_await rename_where_known(txn, user, name);
      txn.erase(identity_key(address));
      user.address.name = name;
      co_await check_new(txn, user.address);
    }
    put_identity(txn, user);
  });
  co_return shapes::UpdateUserOutput{};
}

Task<shapes::DeleteUserOutput> delete_user(Service& service, wire::Context& context,
                                           const shapes::DeleteUserInput& request) {
  const IdentityAddress address = address_of(context, request);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const Identity user = co_await load_identity(txn, address);
    check_unused(user);
    if (!user.boundary.empty()) co_await count_use(txn, context.account, user.boundary, {.bounds = -1});
    erase_identity(txn, user);
  });
  co_return shapes::DeleteUserOutput{};
}

}  // namespace tidemill::iam
