// The tags of a group.
#pragma once

#include <map>
#include <string>

namespace tidemill::logs {

inline constexpr size_t kTagsMax = 50;

using TagMap = std::map<std::string, std::string>;

// `tags` with `more`. Throws InvalidParameterException for keys of AWS's own and what has other characters than tags
// may have, TooManyTagsException.
[[nodiscard]] TagMap with_tags(TagMap tags, const TagMap& more);

}  // namespace tidemill::logs
