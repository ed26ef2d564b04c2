// Objects of many members, made at once: Object::set() looks through all members that are there.
#pragma once

#include <vector>

#include "base/json.h"

namespace tidemill::base::json {

// As if each were set one after the other: the last value of a name takes the place of its first mention.
[[nodiscard]] Object object_of(std::vector<Member> members);

}  // namespace tidemill::base::json
