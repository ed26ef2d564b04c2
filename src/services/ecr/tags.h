// Tags of repositories.
#pragma once

#include <vector>

#include "base/json_record.h"
#include "wire/shapes/ecr.h"

namespace tidemill::ecr {

// Throws InvalidTagParameterException and TooManyTagsException.
[[nodiscard]] base::json::TextMap with_tags(base::json::TextMap tags, const std::vector<wire::ecr::Tag>& added);

}  // namespace tidemill::ecr
