// CreateAccessKey, ListAccessKeys, UpdateAccessKey, DeleteAccessKey and GetAccessKeyLastUsed.
#include "base/text.h"
#include "services/iam/access_key.h"
#include "services/iam/caller.h"
#include "services/iam/identity.h"
#include "services/iam/listing.h"
#include "services/iam/operations.h"
#include "wire/access_key.h"

namespace tidemill::iam {
namespace {

using base::cat;

constexpr size_t kAccessKeysMax = 2;

// Throws NoSuchEntity.
Task<AccessKey> load_access_key(store::Snapshot& reader, const std::string& account, const std::string& user,
                                const std::string& id) {
  auto key = co_await find_access_key(reader, account, id);
  if (!key || key->user != user) {
    throw errors::no_such_entity_exception(cat("The Access Key with id ", id, " cannot be found"));
  }
  co_return *std::move(key);
}

}  // namespace

Task<std::string> user_meant(store::Snapshot& reader, const wire::Context& context, std::optional<std::string> name) {
  if (name) co_return *std::move(name);
  const auto key = co_await find_access_key(reader, context.account, context.principal.name());
  if (!key) throw invalid("Must specify userName when calling with non-User credentials");
  co_return key->user;
}

Task<shapes::CreateAccessKeyOutput> create_access_key(Service& service, wire::Context& context,
                                                      const shapes::CreateAccessKeyInput& request) {
  AccessKey key{.account = context.account,
                .id = wire::new_access_key_id(wire::kUserKeys, context.account),
                .secret = wire::new_secret_access_key(),
                .status = std::string(shapes::AccessKeyStatus::kActive),
                .created = context.now()};
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    key.user = co_await user_meant(txn, context, request.user_name);
    Identity user = co_await load_identity(txn, {Kind::user, context.account, key.user});
    if (user.access_keys.size() == kAccessKeysMax) throw over_quota("AccessKeysPerUser", kAccessKeysMax);
    user.access_keys.insert(key.id);
    put_identity(txn, user);
    put_access_key(txn, key);
  });
  shapes::CreateAccessKeyOutput out;
  out.access_key = {.user_name = key.user,
                    .access_key_id = key.id,
                    .status = key.status,
                    .secret_access_key = key.secret,
                    .create_date = key.created};
  co_return out;
}

Task<shapes::ListAccessKeysOutput> list_access_keys(Service& service, wire::Context& context,
                                                    const shapes::ListAccessKeysInput& request) {
  const auto snapshot = service.store().snapshot();
  const std::string name = co_await user_meant(*snapshot, context, request.user_name);
  const Identity user = co_await load_identity(*snapshot, {Kind::user, context.account, name});
  NameSet wanted;
  shapes::ListAccessKeysOutput out;
  list_some(
      out, request, user.access_keys, [](const std::string& id) -> const std::string& { return id; },
      [&](const std::string& id) { wanted.insert(id); });
  for (const std::string& id : wanted) {
    const AccessKey key = co_await load_access_key(*snapshot, context.account, name, id);
    shapes::AccessKeyMetadata shown;
    shown.user_name = key.user;
    shown.access_key_id = key.id;
    shown.status = key.status;
    shown.create_date = key.created;
    out.access_key_metadata.push_back(std::move(shown));
  }
  co_return out;
}

Task<shapes::UpdateAccessKeyOutput> update_access_key(Service& service, wire::Context& context,
                                                      const shapes::UpdateAccessKeyInput& request) {
  if (request.status == shapes::AccessKeyStatus::kExpired) throw not_supported("access keys that expire");
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const std::string name = co_await user_meant(txn, context, request.user_name);
    AccessKey key = co_await load_access_key(txn, context.account, name, request.access_key_id);
    key.status = request.status;
    put_access_key(txn, key);
  });
  co_return shapes::UpdateAccessKeyOutput{};
}

Task<shapes::DeleteAccessKeyOutput> delete_access_key(Service& service, wire::Context& context,
                                                      const shapes::DeleteAccessKeyInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const std::string name = co_await user_meant(txn, context, request.user_name);
    Identity user = co_await load_identity(txn, {Kind::user, context.account, name});
    (void)co_await load_access_key(txn, context.account, name, request.access_key_id);
    user.access_keys.erase(request.access_key_id);
    put_identity(txn, user);
    erase_access_key(txn, context.account, request.access_key_id);
  });
  co_return shapes::DeleteAccessKeyOutput{};
}

// When a key was used is not kept: it reads as one that never was.
Task<shapes::GetAccessKeyLastUsedOutput> get_access_key_last_used(Service& service, wire::Context& context,
                                                                  const shapes::GetAccessKeyLastUsedInput& request) {
  const auto snapshot = service.store().snapshot();
  const auto key = co_await find_access_key(*snapshot, context.account, request.access_key_id);
  if (!key) {
    throw errors::no_such_entity_exception(cat("The Access Key with id ", request.access_key_id, " cannot be found"));
  }
  shapes::GetAccessKeyLastUsedOutput out;
  out.user_name = key->user;
  out.access_key_last_used = shapes::AccessKeyLastUsed{.service_name = "N/A", .region = "N/A"};
  co_return out;
}

}  // namespace tidemill::iam
