// Tags of streams and consumers.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tidemill::kinesis {

inline constexpr size_t kTagsMax = 50;  // of a resource

using Tags = std::map<std::string, std::string>;

// Throws InvalidArgumentException for what is no tag or one too many.
void add_tags(Tags& tags, const Tags& added);
// Likewise for keys of AWS's own that are not there.
void remove_tags(Tags& tags, const std::vector<std::string>& keys);

}  // namespace tidemill::kinesis
