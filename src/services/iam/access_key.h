// Access keys of users: KeySpace::resource, (account, "", "iam", "access-key", id), as JSON. Secrets are kept as they are,
// since signatures are made of them; they are never logged.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "store/store.h"

namespace tidemill::iam {

struct AccessKey {
  std::string account;
  std::string id;
  std::string user;
  std::string secret;
  std::string status;  // as the API has it: "Active"
  base::Time created;
};

[[nodiscard]] std::string access_key_key(std::string_view account, std::string_view id);
Task<std::optional<AccessKey>> find_access_key(store::Snapshot& reader, std::string account, std::string id);
void put_access_key(store::Transaction& txn, const AccessKey& key);
void erase_access_key(store::Transaction& txn, std::string_view account, std::string_view id);

// Signalled with every change of any key.
inline constexpr std::string_view kAccessKeysTopic = "access-keys";

}  // namespace tidemill::iam
