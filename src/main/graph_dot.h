// A state machine as a graph in the DOT language, which graphviz lays out: a box for each state, an arrow for each way,
// dashed where an error goes; branches and iterations within a frame. With an execution's trace, states have the colour
// of what became of them, and ways that were taken are bold.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "main/graph_trace.h"

namespace tidemill {

// `definition`: of the Amazon States Language, as the service has accepted it. `title` stands above.
[[nodiscard]] std::string dot_of(const base::json::Value& definition, const std::string& title,
                                 const std::optional<ExecutionTrace>& trace = std::nullopt);

}  // namespace tidemill
