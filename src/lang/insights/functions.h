// Inside: the functions of queries. "Functions" under "fields" in the user guide.
#pragma once

#include <span>
#include <string>

#include "lang/insights/value.h"

namespace tidemill::lang::insights {

// `name` is one of is_function, with as many arguments as it takes. Nothing where it has no answer.
[[nodiscard]] Value call(const std::string& name, std::span<const Value> arguments);

}  // namespace tidemill::lang::insights
