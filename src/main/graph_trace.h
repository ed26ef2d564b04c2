// What an execution's history says of its machine's states: how often each was entered, what became of it, how long it
// took; and which ways were taken from one to the next.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/json.h"

namespace tidemill {

enum class StateOutcome { running, succeeded, caught, failed };

struct StateTrace {
  size_t entered = 0;
  StateOutcome outcome = StateOutcome::running;  // of the last time
  std::chrono::milliseconds time{0};             // in all
};

struct ExecutionTrace {
  std::string status;                                   // "SUCCEEDED"
  std::map<std::string, StateTrace> states;             // by name; those that were entered
  std::set<std::pair<std::string, std::string>> taken;  // from a state to one that was entered after it
};

// `description`: DescribeExecution's answer; `events`: of GetExecutionHistory, in their order.
[[nodiscard]] ExecutionTrace trace_of(const base::json::Value& description, const base::json::Array& events);

}  // namespace tidemill
