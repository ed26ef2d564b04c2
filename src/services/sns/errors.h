// Refusals that several operations share, with AWS's words.
#pragma once

#include <string>
#include <string_view>

#include "wire/error.h"
#include "wire/shapes/sns.h"

namespace tidemill::sns {

namespace errors = wire::sns::errors;

// "Invalid parameter: " and what is wrong with which.
[[nodiscard]] wire::Error invalid_parameter(std::string_view what);
// "Invalid parameter: Attributes Reason: FilterPolicy: …", as where attributes come with the resource.
[[nodiscard]] wire::Error invalid_attribute(std::string_view what);
[[nodiscard]] wire::Error topic_does_not_exist();
[[nodiscard]] wire::Error subscription_does_not_exist();
// A value or combination that AWS has and Tidemill lacks.
[[nodiscard]] wire::Error not_supported(std::string_view what);

}  // namespace tidemill::sns
