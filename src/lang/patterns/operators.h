// Inside: reading the elements of a list of values.
#pragma once

#include <string_view>

#include "base/json.h"
#include "lang/patterns/matcher.h"
#include "lang/patterns/pattern.h"

namespace tidemill::lang::patterns {

// A literal or an operator. Throws PatternError.
[[nodiscard]] Matcher parse_matcher(const json::Value& element, const Options& options);

// Whether a key of this name makes an object one of operators.
[[nodiscard]] bool is_operator(std::string_view name);

}  // namespace tidemill::lang::patterns
