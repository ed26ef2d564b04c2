// The refusal of a parameter or an operation that AWS knows and Tidemill does not: nothing is ever accepted and ignored.
#pragma once

#include <string_view>

#include "wire/error.h"
#include "wire/registry.h"

namespace tidemill::wire {

// The service's own error, naming the parameter and the operation. Handlers use it too, for values and combinations
// that a model cannot tell.
[[nodiscard]] Error unsupported_parameter(const OperationInfo& operation, std::string_view parameter);

// The same for a whole operation, with the reason that its model gives.
[[nodiscard]] Error unsupported_operation(const OperationInfo& operation);

}  // namespace tidemill::wire
