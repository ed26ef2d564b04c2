// Resource-based policies of tables and streams. They are kept and checked in form; `--auth iam` enforces them (src/rights).
// In the store: KeySpace::resource, (account, region, "dynamodb", "policy", table name, stream label or "").
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/dynamodb/arn.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::dynamodb {

inline constexpr size_t kPolicySizeMax = 20480;  // bytes, with white space

struct Policy {
  std::string document;  // kept_policy()
  std::string revision;  // milliseconds since 1970 of its last change
};

// Of a resource that had none. `document` is a kept_policy().
[[nodiscard]] Policy first_policy(std::string document, base::Time now);

// What a policy belongs to: a table, or one of its streams.
struct PolicyOwner {
  TableAddress table;
  std::string stream_label;  // empty: the table
};

[[nodiscard]] std::string policy_key(const PolicyOwner& owner);
Task<std::optional<Policy>> load_policy(store::Snapshot& snapshot, const PolicyOwner& owner);
void save_policy(store::Transaction& txn, const PolicyOwner& owner, const Policy& policy);
// Those of the table and of all its streams.
void erase_policies(store::Transaction& txn, const TableAddress& table);

// The document as AWS gives it back, so that two spellings of one policy are equal: without white space, members in
// their usual order, lists of one as their element. Throws ValidationException for what is no policy.
[[nodiscard]] std::string canonical_policy(std::string_view document);
// The same with the ids of whom it names (engine/policy_principals.h). Throws also for who is not there.
Task<std::string> kept_policy(const wire::Context& context, std::string_view document);

}  // namespace tidemill::dynamodb
