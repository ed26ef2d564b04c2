// Whether a result that somebody made up could be a service's answer (TestState's mocks), in AWS's words as they were
// recorded.
#pragma once

#include <string>

#include "base/json.h"
#include "wire/shape_table.h"

namespace tidemill::states::tasks {

// Names of members as the SDK spells them; what the shape does not have is left alone. `wants_all`: required members
// must be there. "Field 'Entries' must be an array"; empty: nothing is wrong with it.
[[nodiscard]] std::string shape_problem(const json::Value& result, const wire::shapes::Shape& shape, bool wants_all);

}  // namespace tidemill::states::tasks
