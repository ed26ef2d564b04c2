// What integrations that AWS made for an operation do beside calling it: they take JSON where the operation takes text,
// and give JSON where it answers text; they say what a function's error is; they tell of the answer's headers.
#pragma once

#include <string>
#include <string_view>

#include "services/states/tasks/target.h"
#include "services/states/tasks/task.h"

namespace tidemill::states::tasks {

// The operation's request.
[[nodiscard]] json::Value optimised_request(const Target& target, const TaskCall& call);

// An answer and what stands beside it.
struct Answer {
  json::Value document;
  std::string request_id;
  base::Time time;
};

// What the answer means to the task: Succeeded or Failed; of what was only submitted, Succeeded as well.
[[nodiscard]] TaskOutcome optimised_outcome(const Target& target, const wire::OperationInfo& info, Answer answer);

// Of a function by its own ARN.
[[nodiscard]] json::Value function_request(const TaskCall& call);
[[nodiscard]] TaskOutcome function_outcome(const json::Value& answer);

// arn:aws:states:us-east-1:123456789012:execution:MACHINE:NAME is one of arn:…:stateMachine:MACHINE; so is an Express one's.
[[nodiscard]] std::string machine_of(std::string_view execution_arn);

// The end of an execution that a task has waited for.
[[nodiscard]] TaskOutcome outcome_of_execution(Pattern pattern, const NestedEnd& end);

}  // namespace tidemill::states::tasks
