// Users, groups and roles: what policies are attached to. KeySpace::resource, (account, "", "iam", "user", "group" or
// "role", name in lower case), as JSON. What belongs to a second entity too (members of a group, roles of an instance
// profile) stands in both records, which are written in one transaction.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json_record.h"
#include "services/iam/names.h"
#include "store/store.h"

namespace tidemill::iam {

enum class Kind { user, group, role };
// "user", as ARNs, messages and keys have it.
[[nodiscard]] std::string_view name_of(Kind kind);

struct IdentityAddress {
  Kind kind = Kind::user;
  std::string account;
  std::string name;
};

struct Identity {
  IdentityAddress address;
  std::string path;
  std::string id;  // "AIDA…", "AGPA…", "AROA…"
  base::Time created;
  base::json::TextMap tags;
  std::string boundary;                // the ARN of a policy, or empty
  base::json::TextMap inline_policies; // name to document
  NameSet attached;                    // ARNs of policies

  // Of users.
  NameSet groups;
  NameSet access_keys;
  // Of groups.
  NameSet members;
  // Of roles.
  std::string trust;  // the document that says who may assume it
  std::optional<std::string> description;
  int64_t session_seconds_max = 3600;
  NameSet instance_profiles;
  std::string linked_service;  // whose own it is: "lambda.amazonaws.com"; empty: nobody's

  [[nodiscard]] std::string arn() const;
};

// A new one of no path.
[[nodiscard]] Identity new_identity(IdentityAddress address, base::Time now);

[[nodiscard]] std::string identity_key(const IdentityAddress& address);
[[nodiscard]] store::Range identities_range(Kind kind, std::string_view account);

[[nodiscard]] std::string encode_identity(const Identity& identity);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Identity decode_identity(Kind kind, std::string account, std::string_view bytes);

// Nothing: there is none of exactly this name.
Task<std::optional<Identity>> find_identity(store::Snapshot& reader, const IdentityAddress& address);
// The same; throws NoSuchEntity.
Task<Identity> load_identity(store::Snapshot& reader, IdentityAddress address);
// Both also keep engine/policy_principals.h in step.
void put_identity(store::Transaction& txn, const Identity& identity);
void erase_identity(store::Transaction& txn, const Identity& identity);
// Throws EntityAlreadyExists if there is one whose name differs in case at most.
Task<void> check_new(store::Transaction& txn, const IdentityAddress& address);

// Loads, changes and stores it. Throws NoSuchEntity, and UnmodifiableEntity for the role of a service, which is that
// service's own matter.
Task<void> change_identity(store::Store& store, IdentityAddress address, std::function<void(Identity&)> change);
void check_modifiable(const Identity& identity);

}  // namespace tidemill::iam
