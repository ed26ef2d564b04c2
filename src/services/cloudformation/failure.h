// Why a change of a resource failed, in the words that its event has.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tidemill::cloudformation {

// The reason, as it is: what custom resources answer, and the like.
struct StepFailed : std::runtime_error {
  explicit StepFailed(const std::string& what) : std::runtime_error(what) {}
};

// Of what a step threw. `token` is the step's. Throws it again if it says nothing of the resource: the store cannot be
// written, say, and the step is to be tried again later.
[[nodiscard]] std::string failure_reason(const std::exception_ptr& problem, std::string_view type,
                                         std::string_view token, std::string_view cancelled);

}  // namespace tidemill::cloudformation
