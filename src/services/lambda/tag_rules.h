// What labels may be, of functions and of event source mappings.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tidemill::lambda {

using Tags = std::map<std::string, std::string>;

// Throws InvalidParameterValueException for names, values and numbers that AWS refuses.
void add_tags(Tags& tags, const Tags& added);
// Likewise for names of AWS's own that are not there.
void remove_tags(Tags& tags, const std::vector<std::string>& keys);

}  // namespace tidemill::lambda
