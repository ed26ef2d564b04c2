// This service's errors, with AWS's words where several operations share them. The factories come from the model.
#pragma once

#include <string_view>

#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

namespace shapes = wire::lambda;
namespace errors = wire::lambda::errors;

// "Function not found: arn:..."
[[nodiscard]] wire::Error function_not_found(std::string_view arn);

// A parameter whose value asks for what Tidemill does not do. `what` names the parameter, and the value if that matters.
[[nodiscard]] wire::Error not_supported(std::string_view what);

}  // namespace tidemill::lambda
