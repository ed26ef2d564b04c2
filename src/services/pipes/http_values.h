// Calls of API destinations: one event each, with what a pipe adds to the URL and the headers.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/invoker.h"
#include "services/pipes/input.h"
#include "services/pipes/pipe.h"
#include "wire/context.h"

namespace tidemill::pipes {

struct HttpValues {
  std::vector<ParameterValue> path;
  std::vector<std::pair<std::string, ParameterValue>> headers;
  std::vector<std::pair<std::string, ParameterValue>> query;
};

// Throws lang::inputs::InputError for what CreatePipe refuses.
[[nodiscard]] HttpValues http_values(const std::optional<shapes::PipeHttpParameters>& parameters);

// On the pipe's behalf and where it is: for it there are no destinations of other accounts and regions. The outcome's
// payload is the body of the answer. What the endpoint refuses uses up an attempt; that it cannot be reached does not.
// What is passed by reference outlives the task.
Task<engine::InvokeOutcome> call_api_destination(wire::Platform& platform, const Pipe& pipe, std::string arn,
                                                 const HttpValues& values, const Event& event, std::string body);

}  // namespace tidemill::pipes
