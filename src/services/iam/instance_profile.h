// Instance profiles, each with one role at most: KeySpace::resource, (account, "", "iam", "instance-profile", name in
// lower case), as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json_record.h"
#include "store/store.h"

namespace tidemill::iam {

struct InstanceProfile {
  std::string account;
  std::string name;
  std::string path;
  std::string id;  // "AIPA…"
  base::Time created;
  base::json::TextMap tags;
  std::string role;  // its name, or empty

  [[nodiscard]] std::string arn() const;
};

[[nodiscard]] std::string profile_key(std::string_view account, std::string_view name);
[[nodiscard]] store::Range profiles_range(std::string_view account);
[[nodiscard]] std::string encode_profile(const InstanceProfile& profile);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] InstanceProfile decode_profile(std::string account, std::string_view bytes);

// Throws NoSuchEntity.
Task<InstanceProfile> load_profile(store::Snapshot& reader, std::string account, std::string name);
void put_profile(store::Transaction& txn, const InstanceProfile& profile);

}  // namespace tidemill::iam
