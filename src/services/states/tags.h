// Tags of state machines and activities.
#pragma once

#include <vector>

#include "base/json_record.h"
#include "wire/shapes/states.h"

namespace tidemill::states {

inline constexpr size_t kTagsMax = 50;

// Throws ValidationException for keys of AWS's own and for characters that tags cannot have, TooManyTags.
[[nodiscard]] json::TextMap with_tags(json::TextMap tags, const std::vector<wire::states::Tag>& added);

}  // namespace tidemill::states
