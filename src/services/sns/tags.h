// Labels on topics.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "wire/shapes/sns.h"

namespace tidemill::sns {

inline constexpr size_t kTagsMax = 50;

// Throws InvalidParameter for keys and values that are too long or have other characters than tags may have, for keys
// that repeat and for those of AWS's own; TagLimitExceeded for too many.
[[nodiscard]] std::map<std::string, std::string> with_tags(std::map<std::string, std::string> tags,
                                                           const std::vector<wire::sns::Tag>& added);

}  // namespace tidemill::sns
