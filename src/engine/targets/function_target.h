// Runs a Lambda function with a payload and waits for its end.
#pragma once

#include <string>
#include <string_view>

#include "base/task.h"
#include "store/delivery.h"
#include "wire/context.h"

namespace tidemill::engine {

// As often as an asynchronous invocation runs a function that fails.
inline constexpr int kFunctionErrorsMax = 3;

// `function_arn` qualified or not; `payload` is JSON; `attempts` that failed before. rejected: there is no such function, the
// payload is not accepted, or the function itself has failed kFunctionErrorsMax times. unavailable: it is throttled.
Task<store::SendOutcome> invoke_function(wire::Platform& platform, std::string_view function_arn,
                                         std::string_view payload, int attempts);

}  // namespace tidemill::engine
