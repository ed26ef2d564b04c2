// What TestState takes in place of a task's call or of what runs below a Map or Parallel. In AWS's words where those
// are recorded.
#pragma once

#include <optional>
#include <variant>

#include "base/json.h"
#include "lang/states/evaluate.h"
#include "services/states/tasks/task.h"
#include "wire/shapes/states.h"

namespace tidemill::states {

namespace asl = lang::states;
namespace json = base::json;

// What the state is to have come to.
using Mock = std::variant<json::Value, asl::Failure>;

// Throws ValidationException if the state takes none such, or if it could not be the answer of what the state calls.
[[nodiscard]] Mock mock_of(const wire::states::MockInput& mock, const asl::State& state, const tasks::Caller& caller);

// The context object that stands in for a test's own. Throws ValidationException.
[[nodiscard]] json::Value context_of_test(const std::string& text, const asl::State& state);

// Whether the task hands out a token, or waits for what it began: it cannot be tested without a mock.
[[nodiscard]] bool is_answered_later(const asl::State& state);

}  // namespace tidemill::states
