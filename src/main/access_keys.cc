#include "main/access_keys.h"

#include "base/json_record.h"
#include "services/iam/access_key.h"
#include "services/sts/session.h"
#include "store/resources.h"
#include "wire/access_key.h"

namespace tidemill {

namespace {

// KeySpace::resource, (account, "", "iam", "root-key", "root"), as JSON. The secret is kept as it is, since signatures
// are made of it.
constexpr store::ResourceType kRootKeys{"iam", "root-key"};
constexpr std::string_view kActive = "Active";

std::string encode(const RootKey& key) {
  std::string bytes;
  json::Writer writer(bytes);
  writer.begin_object();
  json::write_member(writer, "id", key.access_key_id);
  json::write_member(writer, "secret", key.secret);
  writer.end_object();
  return bytes;
}

}  // namespace

AccessKeys::AccessKeys(store::Store& store, std::string account)
    : store_(store), account_(std::move(account)), watch_(store.subscribe(iam::kAccessKeysTopic, [known = known_] {
        const std::lock_guard lock(known->mutex);
        ++known->changes;
        known->secrets.clear();
      })) {}

// What was read while a key changed is not kept.
Task<std::optional<wire::SigningSecret>> AccessKeys::find_users(std::string account, std::string access_key_id) {
  uint64_t changes = 0;
  {
    const std::lock_guard lock(known_->mutex);
    if (const auto found = known_->secrets.find(access_key_id); found != known_->secrets.end()) co_return found->second;
    changes = known_->changes;
  }
  const auto snapshot = store_.snapshot();
  const auto key = co_await iam::find_access_key(*snapshot, account, access_key_id);
  if (!key || key->status != kActive) co_return std::nullopt;
  wire::SigningSecret secret{key->secret, std::move(account)};
  const std::lock_guard lock(known_->mutex);
  if (known_->secrets.size() >= kKnownMax) known_->secrets.clear();
  if (known_->changes == changes) known_->secrets.insert_or_assign(std::move(access_key_id), secret);
  co_return secret;
}

Task<std::optional<RootKey>> AccessKeys::start() {
  bool is_new = false;
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    const std::string key = store::resource_key(kRootKeys, account_, "", "root");
    const auto bytes = co_await txn.get(key);
    is_new = !bytes;
    if (bytes) {
      const json::Record record("root key", *bytes);
      root_ = RootKey{record.text("id"), record.text("secret")};
      co_return;
    }
    root_ = RootKey{wire::new_access_key_id(wire::kUserKeys, account_), wire::new_secret_access_key()};
    txn.put(key, encode(*root_));
  });
  co_return is_new ? root_ : std::nullopt;
}

Task<std::optional<wire::SigningSecret>> AccessKeys::find(std::string access_key_id, std::string token) {
  if (root_ && access_key_id == root_->access_key_id) co_return wire::SigningSecret{root_->secret, account_};
  const auto account = wire::account_of_access_key(access_key_id);
  if (!account) co_return std::nullopt;
  if (const auto function = functions_.find(access_key_id, token)) {
    wire::SigningSecret secret{function->secret, *account, function->token};
    if (!function->session.role_arn.empty()) {
      secret.standing = wire::Standing{function->session.role_arn, function->session.name, "", ""};
    }
    co_return secret;
  }
  if (access_key_id.starts_with(wire::kUserKeys)) co_return co_await find_users(*account, std::move(access_key_id));
  const auto snapshot = store_.snapshot();
  const auto session = co_await sts::find_session_or_ended(*snapshot, *account, std::move(access_key_id));
  if (!session) co_return std::nullopt;
  co_return wire::SigningSecret{session->secret, *account, session->token, session->expires};
}

}  // namespace tidemill
