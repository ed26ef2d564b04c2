// Inside: the functions of queries. "Functions" under "fields" in the user guide.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lang/insights/value.h"

namespace tidemill::lang::insights {

// `name` is one of is_function, with as many arguments as it takes. Nothing where it has no answer.
[[nodiscard]] Value call(const std::string& name, std::span<const Value> arguments);

// Whether it takes longer for a longer text.
[[nodiscard]] bool walks_texts(std::string_view name);

}  // namespace tidemill::lang::insights
