// The role that a stack's operations act as (RoleARN): a role of IAM in the stack's account that CloudFormation may
// assume. Conditions of its trust policy are judged where calls are made under the role (--auth iam), for the stack's
// ARN and account.
#pragma once

#include <string>

#include "base/clock.h"
#include "services/cloudformation/stack.h"
#include "wire/context.h"

namespace tidemill::cloudformation {

// Throws ValidationError "Role ARN is invalid or cannot be assumed". An empty ARN is no role: nothing to check.
Task<void> require_role(const wire::Context& context, std::string arn);

// For an operation on the stack that may bring its own: what it will act as is checked, before it begins.
Task<void> require_role_of(const wire::Context& context, const Stack& stack, const std::optional<std::string>& given);

// A session of a role, or who began the operation if there is no role.
class Acting {
 public:
  // The principal of calls for the stack as it is now. Throws StepFailed with require_role()'s text if the role is there no
  // more; that is asked anew now and then.
  Task<wire::Principal> principal(wire::Platform& platform, const Stack& stack);

 private:
  std::string role_;  // that was there
  base::Time until_;  // it is taken to be
};

}  // namespace tidemill::cloudformation
