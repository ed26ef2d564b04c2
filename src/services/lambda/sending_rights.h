// Whether what becomes of a function's events can be told where its settings say: asked when they are made, and again
// by nobody until there is something to tell.
#pragma once

#include <string>

#include "base/task.h"
#include "engine/mappings/mapping_rights.h"
#include "services/lambda/event_invoke_config.h"
#include "services/lambda/function_name.h"
#include "wire/context.h"
#include "wire/error.h"

namespace tidemill::lambda {

// InvalidParameterValueException "The provided execution role does not have permissions to call SendMessage on SQS".
[[nodiscard]] wire::Error lacks_permission(const engine::MappingDeed& denied);

// Throws that where policies are enforced and do not let the role send dead letters to the queue or topic. An empty
// target is none.
Task<void> require_dead_letter_rights(wire::Context& context, const FunctionAddress& function, std::string role,
                                      std::string target);

// Throws InvalidParameterValueException for a destination that is a queue, a topic or a bus which is not there; and,
// where policies are enforced, for one that the function's role may not send to. The function is there.
Task<void> require_destinations(wire::Context& context, const FunctionReference& function,
                                const EventInvokeConfig& config);

}  // namespace tidemill::lambda
