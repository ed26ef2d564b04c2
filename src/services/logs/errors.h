// Refusals that several operations share, with AWS's words.
#pragma once

#include <string_view>

#include "wire/error.h"
#include "wire/shapes/logs.h"

namespace tidemill::logs {

namespace errors = wire::logs::errors;

[[nodiscard]] wire::Error group_not_found();
[[nodiscard]] wire::Error stream_not_found();
[[nodiscard]] wire::Error invalid_next_token();
// Throws InvalidParameterException.
void check_role(std::string_view arn);

}  // namespace tidemill::logs
