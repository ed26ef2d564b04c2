// A request's filter pattern.
#pragma once

#include <string>

#include "lang/logs/filter_pattern.h"

namespace tidemill::logs {

// Throws InvalidParameterException.
[[nodiscard]] lang::logs::FilterPattern parse_pattern(const std::string& text);

}  // namespace tidemill::logs
