// What labels may be, of functions and of event source mappings.
#pragma once

#include <map>
#include <string>

namespace tidemill::lambda {

using Tags = std::map<std::string, std::string>;

// Throws InvalidParameterValueException for names, values and numbers that AWS refuses.
void check_tags(const Tags& tags);

}  // namespace tidemill::lambda
