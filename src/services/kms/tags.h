// Tags of keys.
#pragma once

#include <vector>

#include "base/json_record.h"
#include "wire/shapes/kms.h"

namespace tidemill::kms {

// Throws TagException.
[[nodiscard]] base::json::TextMap with_tags(base::json::TextMap tags, const std::vector<wire::kms::Tag>& added);

}  // namespace tidemill::kms
