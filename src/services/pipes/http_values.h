// Calls of API destinations: one event each, with what a pipe adds to the URL and the headers.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/invoker.h"
#include "services/pipes/input.h"
#include "wire/context.h"

namespace tidemill::pipes {

struct HttpValues {
  std::vector<ParameterValue> path;
  std::vector<std::pair<std::string, ParameterValue>> headers;
  std::vector<std::pair<std::string, ParameterValue>> query;
};

// Throws lang::inputs::InputError for what CreatePipe refuses.
[[nodiscard]] HttpValues http_values(const std::optional<shapes::PipeHttpParameters>& parameters);

// The outcome's payload is the body of the answer. What the endpoint refuses uses up an attempt; that it cannot be
// reached does not.
Task<engine::InvokeOutcome> call_api_destination(wire::Platform& platform, std::string arn, const HttpValues& values,
                                                 const Event& event, std::string body);

}  // namespace tidemill::pipes
