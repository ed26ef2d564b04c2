// How errors of services look in workflows. Their names are those of AWS's SDKs for Java: of the first for integrations
// that AWS made for an operation ("DynamoDB.ResourceNotFoundException"), of the second for all others
// ("DynamoDb.ResourceNotFoundException"). Errors that SDKs have no class for are their service's: "S3.S3Exception".
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "services/states/tasks/target.h"
#include "services/states/tasks/task.h"
#include "wire/error.h"

namespace tidemill::states::tasks {

// An operation refused. `request_id` stands in the cause.
[[nodiscard]] Failed failure_of(const Target& target, const wire::Error& error, std::string_view request_id);

// The same of what else a call may end with: the store has no room, or a defect. Both may be otherwise the next time.
[[nodiscard]] Failed failure_of(const wire::Registry& registry, const Target& target, const std::exception& error,
                                std::string_view request_id);

// The task's own: what was asked for cannot be.
[[nodiscard]] Failed runtime_failure(std::string cause);
// Credentials name a role that the state machine's may not take on. `reason`: in the words of whoever judged it.
[[nodiscard]] Failed role_refused(std::string_view machine_role, std::string_view role, std::string_view reason);
// A result of more than 256 KiB.
[[nodiscard]] Failed too_large(const Resource& resource);

}  // namespace tidemill::states::tasks
