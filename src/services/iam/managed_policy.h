// Managed policies of accounts: KeySpace::resource, (account, "", "iam", "policy", name in lower case), as JSON, with
// all versions. AWS's own ("arn:aws:iam::aws:policy/…") are no records: they may be attached by their ARNs, and what they
// say is not known here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json_record.h"
#include "store/store.h"

namespace tidemill::iam {

struct PolicyVersion {
  std::string document;
  base::Time created;
};

struct ManagedPolicy {
  std::string account;
  std::string name;
  std::string path;
  std::string id;  // "ANPA…"
  base::Time created;
  base::Time updated;
  std::optional<std::string> description;
  base::json::TextMap tags;
  std::map<int64_t, PolicyVersion> versions;  // by number, from 1; numbers are not used twice
  int64_t default_version = 1;
  int64_t last_version = 1;
  int64_t attachments = 0;  // to users, groups and roles
  int64_t bounds = 0;       // users and roles whose boundary it is

  [[nodiscard]] std::string arn() const;
};

struct PolicyArn {
  std::string account;  // "aws": AWS's own
  std::string path;
  std::string name;

  [[nodiscard]] bool is_of_aws() const { return account == "aws"; }
};

// Throws ValidationError for what is no ARN, InvalidInput for that of something else.
[[nodiscard]] PolicyArn parse_policy_arn(std::string_view arn);

[[nodiscard]] std::string policy_key(std::string_view account, std::string_view name);
[[nodiscard]] store::Range policies_range(std::string_view account);
[[nodiscard]] std::string encode_policy(const ManagedPolicy& policy);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] ManagedPolicy decode_policy(std::string account, std::string_view bytes);

// `account` asks. Nothing: there is none of exactly this ARN. Throws as parse_policy_arn().
Task<std::optional<ManagedPolicy>> find_policy(store::Snapshot& reader, std::string_view account,
                                               std::string_view arn);
// The same; throws NoSuchEntity, and refuses to tell what AWS's own policies say.
Task<ManagedPolicy> load_policy(store::Snapshot& reader, std::string_view account, std::string_view arn);
void put_policy(store::Transaction& txn, const ManagedPolicy& policy);

// Counts what is attached and detached: `attachments` and `bounds` are added to those of the policy. Of AWS's own
// nothing is counted. Throws NoSuchEntity.
struct PolicyUse {
  int64_t attachments = 0;
  int64_t bounds = 0;
};
Task<void> count_use(store::Transaction& txn, std::string_view account, std::string_view arn, PolicyUse use);

}  // namespace tidemill::iam
