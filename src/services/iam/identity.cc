#include "services/iam/identity.h"

#include "base/json_members.h"
#include "base/text.h"
#include "engine/policy_principals.h"
#include "services/iam/errors.h"

namespace tidemill::iam {

using base::cat;

namespace {

constexpr store::ResourceType type_of(Kind kind) {
  switch (kind) {
    case Kind::user: return {"iam", "user"};
    case Kind::group: return {"iam", "group"};
    case Kind::role: return {"iam", "role"};
  }
  return {};
}

constexpr std::string_view id_prefix(Kind kind) {
  return kind == Kind::user ? "AIDA" : kind == Kind::group ? "AGPA" : "AROA";
}

constexpr std::string_view title_of(Kind kind) {
  return kind == Kind::user ? "User" : kind == Kind::group ? "Group" : "Role";
}

constexpr auto kIdentityMembers = [](auto& member, auto& identity) {
  member("name", identity.address.name);
  member("path", identity.path);
  member("id", identity.id);
  member("created_us", identity.created);
  member("tags", identity.tags);
  member.unless_empty("boundary", identity.boundary);
  member("inline_policies", identity.inline_policies);
  member.added("attached", identity.attached);
  switch (identity.address.kind) {
    case Kind::user:
      member.added("groups", identity.groups);
      member.added("access_keys", identity.access_keys);
      return;
    case Kind::group: member.added("members", identity.members); return;
    case Kind::role:
      member("trust", identity.trust);
      member("description", identity.description);
      member("session_seconds_max", identity.session_seconds_max);
      member.added("instance_profiles", identity.instance_profiles);
      member.unless_empty("linked_service", identity.linked_service);
  }
};

}  // namespace

std::string_view name_of(Kind kind) { return type_of(kind).type; }

std::string Identity::arn() const { return arn_of(address.account, name_of(address.kind), path, address.name); }

Identity new_identity(IdentityAddress address, base::Time now) {
  const Kind kind = address.kind;
  return {.address = std::move(address), .path = std::string(kRootPath), .id = new_id(id_prefix(kind)), .created = now};
}

std::string identity_key(const IdentityAddress& address) {
  return key_of(type_of(address.kind), address.account, address.name);
}

store::Range identities_range(Kind kind, std::string_view account) { return range_of(type_of(kind), account); }

std::string encode_identity(const Identity& identity) { return json::encode(identity, kIdentityMembers); }

Identity decode_identity(Kind kind, std::string account, std::string_view bytes) {
  return json::decode(name_of(kind), bytes, kIdentityMembers, Identity{.address = {kind, std::move(account), ""}});
}

Task<std::optional<Identity>> find_identity(store::Snapshot& reader, const IdentityAddress& address) {
  const auto bytes = co_await reader.get(identity_key(address));
  if (!bytes) co_return std::nullopt;
  Identity identity = decode_identity(address.kind, address.account, *bytes);
  if (identity.address.name != address.name) co_return std::nullopt;
  co_return identity;
}

Task<Identity> load_identity(store::Snapshot& reader, IdentityAddress address) {
  auto identity = co_await find_identity(reader, address);
  if (!identity) throw no_such(name_of(address.kind), address.name);
  co_return *std::move(identity);
}

void put_identity(store::Transaction& txn, const Identity& identity) {
  txn.put(identity_key(identity.address), encode_identity(identity));
  if (identity.address.kind != Kind::group) engine::keep_principal(txn, identity.id, identity.arn());
}

void erase_identity(store::Transaction& txn, const Identity& identity) {
  txn.erase(identity_key(identity.address));
  if (identity.address.kind != Kind::group) engine::forget_principal(txn, identity.id);
}

Task<void> check_new(store::Transaction& txn, const IdentityAddress& address) {
  if (co_await txn.get(identity_key(address))) throw exists(title_of(address.kind), address.name);
}

void check_modifiable(const Identity& identity) {
  if (identity.linked_service.empty()) return;
  throw errors::unmodifiable_entity_exception(cat("Cannot perform the operation on the protected role '",
                                                  identity.address.name, "' - this role is only modifiable by AWS"));
}

Task<void> change_identity(store::Store& store, IdentityAddress address, std::function<void(Identity&)> change) {
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    Identity identity = co_await load_identity(txn, address);
    check_modifiable(identity);
    change(identity);
    put_identity(txn, identity);
  });
}

}  // namespace tidemill::iam
