#include "lang/policies/decide.h"

#include <algorithm>

#include "base/text.h"

namespace tidemill::lang::policies {

namespace {

struct Found {
  std::string_view name;
  Verdict verdict;
};

Found judge_all(const Question& question, std::span<const NamedPolicy> policies) {
  Found found;
  for (const NamedPolicy& each : policies) {
    const Verdict verdict = each.policy->judge(question);
    if (verdict.denies) return {each.name, verdict};
    if (verdict.allows && !found.verdict.allows) found = {each.name, verdict};
  }
  return found;
}

// What all kinds of policies say, each for itself.
struct Findings {
  Found identity;
  Found boundary;
  Found session;
  Found resource;
};

PolicyKind resource_kind(const Policies& policies) {
  return policies.resource_is_trust ? PolicyKind::trust : PolicyKind::resource;
}

Decision denied_by(PolicyKind kind, const Found& found) {
  return {Outcome::explicitly_denied, kind, found.name, found.verdict.denies};
}
Decision allowed_by(PolicyKind kind, const Found& found) {
  return {Outcome::allowed, kind, found.name, found.verdict.allows};
}
Decision missing(PolicyKind kind) { return {Outcome::implicitly_denied, kind, {}, nullptr}; }

// The boundary and the session's policy let it pass.
std::optional<Decision> bound(const Findings& found, const Policies& policies) {
  if (!policies.boundary.empty() && !found.boundary.verdict.allows) return missing(PolicyKind::boundary);
  if (!policies.session.empty() && !found.session.verdict.allows) return missing(PolicyKind::session);
  return std::nullopt;
}

Decision by_own_policies(const Question& question, const Findings& found, const Policies& policies) {
  // The root of an account may do everything in it, and neither policies nor boundaries can be attached to it.
  const bool is_root = question.caller.kind == PrincipalKind::root;
  if (is_root) {
    const bool is_bound = !policies.session.empty() && !found.session.verdict.allows;
    return is_bound ? missing(PolicyKind::session) : Decision{Outcome::allowed};
  }
  if (!found.identity.verdict.allows) return missing(PolicyKind::identity);
  if (auto refused = bound(found, policies)) return *refused;
  return allowed_by(PolicyKind::identity, found.identity);
}

Decision in_one_account(const Question& question, const Findings& found, const Policies& policies) {
  switch (found.resource.verdict.naming) {
    case Naming::exactly:
      return allowed_by(resource_kind(policies), found.resource);
    case Naming::everybody:
    case Naming::role:
      if (auto refused = bound(found, policies)) return *refused;
      return allowed_by(resource_kind(policies), found.resource);
    case Naming::account:
      break;  // leaves it to the account's own policies
    case Naming::none:
      if (policies.resource_must_allow) return missing(resource_kind(policies));
      break;
  }
  return by_own_policies(question, found, policies);
}

std::string_view article(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::identity:
      return "an ";
    case PolicyKind::trust:
      return "the ";
    default:
      return "a ";
  }
}

}  // namespace

std::string_view name_of(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::identity:
      return "identity-based policy";
    case PolicyKind::resource:
      return "resource-based policy";
    case PolicyKind::boundary:
      return "permissions boundary";
    case PolicyKind::session:
      return "session policy";
    case PolicyKind::trust:
      return "role trust policy";
  }
  return "";
}

Decision decide(const Question& question, const Policies& policies) {
  const Findings found{judge_all(question, policies.identity),
                       judge_all(question, policies.boundary),
                       judge_all(question, policies.session),
                       {{}, policies.resource ? policies.resource->judge(question) : Verdict()}};
  if (found.identity.verdict.denies) return denied_by(PolicyKind::identity, found.identity);
  if (found.resource.verdict.denies) return denied_by(resource_kind(policies), found.resource);
  if (found.boundary.verdict.denies) return denied_by(PolicyKind::boundary, found.boundary);
  if (found.session.verdict.denies) return denied_by(PolicyKind::session, found.session);

  const Caller& caller = question.caller;
  const bool has_account = caller.kind != PrincipalKind::anonymous && caller.kind != PrincipalKind::service;
  const bool is_of_account =
      has_account && (policies.resource_account.empty() || policies.resource_account == caller.account);
  if (is_of_account) return in_one_account(question, found, policies);
  if (!found.resource.verdict.allows) return missing(resource_kind(policies));
  if (!has_account) return allowed_by(resource_kind(policies), found.resource);
  const Decision own = by_own_policies(question, found, policies);
  return own.is_allowed() ? allowed_by(resource_kind(policies), found.resource) : own;
}

bool uses_facts(const Policies& policies) {
  const auto any = [](std::span<const NamedPolicy> list) {
    return std::ranges::any_of(list, [](const NamedPolicy& each) { return each.policy->uses_facts(); });
  };
  return any(policies.identity) || any(policies.boundary) || any(policies.session) ||
         (policies.resource && policies.resource->uses_facts());
}

Effort effort_of(const Policies& policies) {
  Effort effort;
  for (const auto list : {policies.identity, policies.boundary, policies.session}) {
    for (const NamedPolicy& each : list) effort.add(each.policy->effort());
  }
  if (policies.resource) effort.add(policies.resource->effort());
  return effort;
}

std::string reason(const Decision& decision, std::string_view action) {
  const std::string_view kind = name_of(decision.kind);
  switch (decision.outcome) {
    case Outcome::allowed:
      return "";
    case Outcome::implicitly_denied:
      return base::cat(" because no ", kind, " allows the ", action, " action");
    case Outcome::explicitly_denied:
      return base::cat(" with an explicit deny in ", article(decision.kind), kind);
  }
  return "";
}

}  // namespace tidemill::lang::policies
