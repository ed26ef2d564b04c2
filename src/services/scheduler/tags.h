// Labels on groups.
#pragma once

#include <vector>

#include "base/json_record.h"
#include "wire/shapes/scheduler.h"

namespace tidemill::scheduler {

// Throws ValidationException for keys that repeat, for those of AWS's own, for characters that tags cannot have and for
// too many.
[[nodiscard]] base::json::TextMap with_tags(base::json::TextMap tags, const std::vector<wire::scheduler::Tag>& added);

}  // namespace tidemill::scheduler
