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
// Alarms of metrics and composite alarms share their names.
[[nodiscard]] wire::Error name_is_taken(std::string_view name, std::string_view kind);
[[nodiscard]] wire::Error invalid_next_token();
[[nodiscard]] wire::Error not_supported(std::string_view what);

}  // namespace tidemill::cloudwatch
