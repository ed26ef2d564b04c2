// Labels on buses and rules.
#pragma once

#include <vector>

#include "base/json_record.h"
#include "wire/shapes/events.h"

namespace tidemill::events {

inline constexpr size_t kTagsMax = 50;

// Throws ValidationException for keys of AWS's own, for those that repeat and for characters that tags cannot have,
// LimitExceededException for too many.
[[nodiscard]] json::TextMap with_tags(json::TextMap tags, const std::vector<wire::events::Tag>& added);

}  // namespace tidemill::events
