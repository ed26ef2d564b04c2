// Refusals that several operations share, with AWS's words where they are known.
#pragma once

#include <string_view>

#include "wire/error.h"
#include "wire/shapes/pipes.h"

namespace tidemill::pipes {

namespace errors = wire::pipes::errors;

// Of one parameter, "SourceParameters.KinesisStreamParameters": as AWS writes it, the message is JSON itself.
[[nodiscard]] wire::Error invalid(std::string_view parameter, std::string_view what);
[[nodiscard]] wire::Error missing(std::string_view parameter);
[[nodiscard]] wire::Error no_pipe(std::string_view name);
[[nodiscard]] wire::Error conflict(std::string_view name, std::string_view what);
// A value or combination that AWS has and Tidemill lacks.
[[nodiscard]] wire::Error not_supported(std::string_view parameter, std::string_view what);

}  // namespace tidemill::pipes
