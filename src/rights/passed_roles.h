// Roles that a request gives to a service. That the caller may give them away (iam:PassRole) is not all: a service
// which cannot take a role on refuses it when it is given, in words of its own, and not only when it is to act under
// it.
#pragma once

#include <string>
#include <vector>

#include "rights/ask.h"
#include "wire/error.h"
#include "wire/registry.h"

namespace tidemill::rights {

[[nodiscard]] bool passes_role(const Ask& ask);

struct PassedRole {
  std::string arn;
  std::string service;  // who is to take it on: "states.amazonaws.com"
  // The ARN that the service says then (aws:SourceArn): of the machine, the pipe, the rule. Empty: it says none.
  std::string source;
};

// Throws what the operation's service says of one that is no role's ARN, which it looks at before rights are asked for.
// Those of other services are checked with the request (models/).
void check_passed_roles(const wire::OperationInfo& operation, const void* request);

// Those that the operation's service tries. `asks`: of one request, the first about what the roles are for.
[[nodiscard]] std::vector<PassedRole> roles_to_try(const wire::OperationInfo& operation, const std::vector<Ask>& asks);

// What AWS says of a role that is not there, or does not trust the service. Of an operation that tries roles.
[[nodiscard]] wire::Error distrust_error(const wire::OperationInfo& operation, const PassedRole& role);

}  // namespace tidemill::rights
