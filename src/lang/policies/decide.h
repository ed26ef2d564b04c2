// Whether a request is allowed, by all policies that have to do with it, in the order of IAM's "Policy evaluation
// logic": a denial of any of them ends it; then the policy of the resource, the boundary, the session's policy and
// those of the identity must come to an allowance together.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lang/policies/policy.h"

namespace tidemill::lang::policies {

enum class PolicyKind { identity, resource, boundary, session, trust };

// As AWS's messages call it: "identity-based policy".
[[nodiscard]] std::string_view name_of(PolicyKind kind);

struct NamedPolicy {
  std::string_view name;  // the ARN of a managed policy, or the name of an inline one
  const Policy* policy = nullptr;
};

struct Policies {
  std::span<const NamedPolicy> identity;  // of the user and the groups, or of the role
  std::span<const NamedPolicy> boundary;  // one, or none: nothing bounds
  std::span<const NamedPolicy> session;   // none: nothing bounds; one of several is enough
  const Policy* resource = nullptr;       // also a role's trust policy
  std::string_view resource_account;      // whose the resource is; empty: the caller's
  // No identity alone may do it: a key's policy and a role's trust policy must always agree.
  bool resource_must_allow = false;
  bool resource_is_trust = false;
};

enum class Outcome { allowed, implicitly_denied, explicitly_denied };

struct Decision {
  Outcome outcome = Outcome::implicitly_denied;
  // Of what decided; of an implicit denial the kind of which an allowance is missing.
  PolicyKind kind = PolicyKind::identity;
  std::string_view policy;               // its name; empty: the resource's, or none
  const Statement* statement = nullptr;  // null: nobody's (an implicit denial, the root of the account)

  [[nodiscard]] bool is_allowed() const { return outcome == Outcome::allowed; }
};

// What is given lives as long as the decision is looked at.
[[nodiscard]] Decision decide(const Question& question, const Policies& policies);

// Whether the decision depends on the caller, the action and the resource alone.
[[nodiscard]] bool uses_facts(const Policies& policies);

// Of all of them.
[[nodiscard]] Effort effort_of(const Policies& policies);

// " because no identity-based policy allows the sqs:SendMessage action", " with an explicit deny in a resource-based
// policy": how AWS ends its message. Empty for what is allowed.
[[nodiscard]] std::string reason(const Decision& decision, std::string_view action);

}  // namespace tidemill::lang::policies
