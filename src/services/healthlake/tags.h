// Labels on data stores.
#pragma once

#include <vector>

#include "base/json_record.h"
#include "wire/shapes/healthlake.h"

namespace tidemill::healthlake {

// Throws ValidationException for keys that repeat, for those of AWS's own and for too many.
[[nodiscard]] json::TextMap with_tags(json::TextMap tags, const std::vector<wire::healthlake::Tag>& added);

}  // namespace tidemill::healthlake
