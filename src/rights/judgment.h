// What was decided of one ask, in words of its own, so that it can be kept.
#pragma once

#include <memory>
#include <string>

#include "lang/policies/decide.h"
#include "rights/ask.h"
#include "wire/registry.h"

namespace tidemill::rights {

struct Judgment {
  Ask ask;
  lang::policies::Outcome outcome = lang::policies::Outcome::implicitly_denied;
  lang::policies::PolicyKind kind = lang::policies::PolicyKind::identity;
  std::string policy;     // that decided, or empty
  std::string statement;  // its Sid, or "statement 2"; empty: none decided
  std::string message;    // of a denial, for the caller

  [[nodiscard]] bool is_allowed() const { return outcome == lang::policies::Outcome::allowed; }
};

// About what it holds.
[[nodiscard]] size_t bytes_of(const Judgment& judgment);
// "identity-based policy "reading", statement 1": what decided.
[[nodiscard]] std::string because_of(const Judgment& judgment);
// "dynamodb.Query".
[[nodiscard]] std::string name_of(const wire::OperationInfo& operation);
// "allowed", "implicitDeny", "explicitDeny".
[[nodiscard]] std::string_view name_of(lang::policies::Outcome outcome);
// The least that would allow it: a statement as JSON.
[[nodiscard]] std::string least_statement(const Ask& ask);

}  // namespace tidemill::rights
