#include "services/iam/principals.h"

#include "base/log.h"
#include "engine/policy_principals.h"
#include "services/iam/identity.h"
#include "store/resources.h"

namespace tidemill::iam {
namespace {

Task<void> keep_principals_of(store::Store& store, Kind kind, std::string account) {
  std::map<std::string, std::string> arns;
  const auto snapshot = store.snapshot();
  co_await snapshot->scan(identities_range(kind, account), store::Direction::forward,
                          [&](std::string_view, std::string_view bytes) {
                            try {
                              const Identity identity = decode_identity(kind, account, bytes);
                              arns.emplace(identity.id, identity.arn());
                            } catch (const std::runtime_error& damaged) {  // nobody is found by its id
                              base::log_warning("identity_damaged", {{"account", account}, {"why", damaged.what()}});
                            }
                            return true;
                          });
  co_await engine::keep_missing_principals(store, std::move(arns));
}

}  // namespace

Task<void> keep_all_principals(store::Store& store) {
  for (const std::string& account : co_await store::accounts_with_resources(*store.snapshot())) {
    co_await keep_principals_of(store, Kind::user, account);
    co_await keep_principals_of(store, Kind::role, account);
  }
}

}  // namespace tidemill::iam
