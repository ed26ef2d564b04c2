// Names of keys. In the store:
//   KeySpace::resource, (account, region, "kms", "alias", name)                  the alias, as JSON
//   KeySpace::resource, (account, region, "kms", "key-alias", id) string(name)   the same from the key's side, empty
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/kms/key.h"

namespace tidemill::kms {

inline constexpr std::string_view kAliasStart = "alias/";
inline constexpr std::string_view kAwsAliasStart = "alias/aws/";
inline constexpr size_t kAliasesOfKeyMax = 50;

struct Alias {
  std::string account;
  std::string region;
  std::string name;    // "alias/…"
  std::string target;  // the key's id
  base::Time created;
  base::Time updated;

  [[nodiscard]] std::string arn() const;
  [[nodiscard]] KeyAddress key() const { return {account, region, target}; }
};

[[nodiscard]] std::string alias_arn(std::string_view account, std::string_view region, std::string_view name);
[[nodiscard]] store::Range aliases_range(std::string_view account, std::string_view region);
// Entries from the key's side; the name is what alias_name_of() gives.
[[nodiscard]] store::Range aliases_of_key_range(const KeyAddress& key);
[[nodiscard]] std::string alias_name_of(const KeyAddress& key, std::string_view record);

[[nodiscard]] Alias decode_alias(std::string account, std::string region, std::string_view bytes);
Task<std::optional<Alias>> find_alias(store::Snapshot& reader, std::string account, std::string region, std::string name);
void save_alias(store::Transaction& txn, const Alias& alias);
void erase_alias(store::Transaction& txn, const Alias& alias);

}  // namespace tidemill::kms
