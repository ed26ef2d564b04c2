// Policies of keys: their form is checked, and they are kept with the ids of whom they name
// (engine/policy_principals.h). `--auth iam` enforces them (src/rights).
#pragma once

#include <string>
#include <string_view>

#include "base/task.h"
#include "wire/context.h"

namespace tidemill::kms {

inline constexpr std::string_view kPolicyName = "default";  // the only one that a key has
inline constexpr size_t kPolicySizeMax = 32768;

// As it is kept. Throws MalformedPolicyDocumentException.
Task<std::string> checked_policy(const wire::Context& context, std::string document);
// Throws MalformedPolicyDocumentException for one that would not let the caller put another in its place. Only where
// policies are enforced is anybody known whom one could lock out.
Task<void> check_lockout(const wire::Context& context, std::string key_arn, std::string document);
// Throws NotFoundException for another than the one that keys have.
void check_policy_name(std::string_view name);

// What a key has that was made without one: all for whom the account's policies of IAM allow it.
[[nodiscard]] std::string default_policy(std::string_view account);
// What AWS's own key for `service` has: all of the account, by that service.
[[nodiscard]] std::string policy_of_service(std::string_view account, std::string_view region, std::string_view service);

}  // namespace tidemill::kms
