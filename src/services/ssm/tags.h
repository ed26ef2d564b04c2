// Tags of parameters.
#pragma once

#include <vector>

#include "base/json_record.h"
#include "wire/shapes/ssm.h"

namespace tidemill::ssm {

// Throws ValidationException for keys of AWS's own and for those that repeat, TooManyTagsError.
[[nodiscard]] base::json::TextMap with_tags(base::json::TextMap tags, const std::vector<wire::ssm::Tag>& added);

}  // namespace tidemill::ssm
