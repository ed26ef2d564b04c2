// Refusals that several operations share, with AWS's words.
#pragma once

#include <string>
#include <string_view>

#include "wire/error.h"
#include "wire/shapes/cloudwatch.h"

namespace tidemill::cloudwatch {

namespace errors = wire::cloudwatch::errors;

// "The value AWS/X for parameter Namespace is invalid."
[[nodiscard]] wire::Error invalid_value(std::string_view parameter, std::string_view value);
// ValidationError, as CloudWatch answers what does not fit together.
[[nodiscard]] wire::Error does_not_fit(std::string message);
[[nodiscard]] wire::Error collection_too_large(std::string_view parameter, size_t size_max);
[[nodiscard]] wire::Error invalid_next_token();
[[nodiscard]] wire::Error not_supported(std::string_view what);

}  // namespace tidemill::cloudwatch
