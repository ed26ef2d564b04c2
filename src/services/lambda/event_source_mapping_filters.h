// FilterCriteria of a mapping: which records the function wants (developer guide, "Control which events Lambda sends to
// your function"). What the patterns mean is lang/patterns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

// AWS's limit is 5 and its quota can be raised up to this; there is nobody here to ask for that.
inline constexpr size_t kFiltersMax = 10;

// Throws InvalidParameterValueException for too many filters, and for one that is no pattern.
void check_filters(const std::optional<wire::lambda::FilterCriteria>& criteria);

// The patterns' texts as given.
[[nodiscard]] std::vector<std::string> filters_of(const wire::lambda::FilterCriteria& criteria);

// As mappings show them; nothing if there are none.
[[nodiscard]] std::optional<wire::lambda::FilterCriteria> describe_filters(const std::vector<std::string>& filters);

}  // namespace tidemill::lambda
