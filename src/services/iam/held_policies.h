// What users, groups and roles have of policies: their own, those that are attached, and for users those of their
// groups.
#pragma once

#include <string>
#include <vector>

#include "base/task.h"
#include "services/iam/identity.h"
#include "store/store.h"

namespace tidemill::iam {

struct HeldPolicy {
  std::string name;   // the ARN of a managed policy, or the name of an inline one
  std::string label;  // as the simulator tells it: "reading" of managed policies, "role_miller_reading" of inline ones
  std::string document;  // of what is not there, or AWS's own and not known here, one that allows nothing
};

// First what is the identity's own, then what is attached, then what its groups have.
Task<std::vector<HeldPolicy>> policies_of(store::Snapshot& reader, const Identity& identity);

// One, or none: nothing bounds it.
Task<std::vector<HeldPolicy>> boundaries_of(store::Snapshot& reader, const Identity& identity);

// `account` asks.
Task<HeldPolicy> managed_policy_of(store::Snapshot& reader, std::string account, std::string arn);

}  // namespace tidemill::iam
