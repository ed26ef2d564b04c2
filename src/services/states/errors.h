// Refusals that several operations share, in AWS's words.
#pragma once

#include <string_view>

#include "wire/error.h"
#include "wire/shapes/states.h"

namespace tidemill::states {

namespace errors = wire::states::errors;
namespace shapes = wire::states;

[[nodiscard]] wire::Error invalid_arn(std::string_view arn);
[[nodiscard]] wire::Error invalid_name(std::string_view name);
[[nodiscard]] wire::Error no_machine(std::string_view arn);
[[nodiscard]] wire::Error no_execution(std::string_view arn);
[[nodiscard]] wire::Error no_activity(std::string_view arn);
[[nodiscard]] wire::Error wrong_type();  // an Express machine where a standard one is wanted, or the other way
// Names of machines, executions, activities: throws InvalidName.
void check_name(std::string_view name);
// A value or combination that AWS has and Tidemill lacks.
[[nodiscard]] wire::Error not_supported(std::string_view what);

}  // namespace tidemill::states
