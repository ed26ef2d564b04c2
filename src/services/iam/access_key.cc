#include "services/iam/access_key.h"

#include "base/json_members.h"
#include "services/iam/names.h"

namespace tidemill::iam {
namespace {

constexpr store::ResourceType kAccessKeys{"iam", "access-key"};

constexpr auto kAccessKeyMembers = [](auto& member, auto& key) {
  member("user", key.user);
  member("secret", key.secret);
  member("status", key.status);
  member("created_us", key.created);
};

}  // namespace

std::string access_key_key(std::string_view account, std::string_view id) {
  return store::resource_key(kAccessKeys, account, kNoRegion, id);
}

Task<std::optional<AccessKey>> find_access_key(store::Snapshot& reader, std::string account, std::string id) {
  const auto bytes = co_await reader.get(access_key_key(account, id));
  if (!bytes) co_return std::nullopt;
  co_return json::decode("access key", *bytes, kAccessKeyMembers,
                         AccessKey{.account = std::move(account), .id = std::move(id)});
}

void put_access_key(store::Transaction& txn, const AccessKey& key) {
  txn.put(access_key_key(key.account, key.id), json::encode(key, kAccessKeyMembers));
  txn.signal(kAccessKeysTopic);
}

void erase_access_key(store::Transaction& txn, std::string_view account, std::string_view id) {
  txn.erase(access_key_key(account, id));
  txn.signal(kAccessKeysTopic);
}

}  // namespace tidemill::iam
