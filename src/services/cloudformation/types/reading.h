// What types share that can be read (ResourceType::read).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

// Of all pages of a list: a member of each of its elements, or, if that is empty, the elements themselves.
Task<std::vector<std::string>> list_all(Step& step, std::string service, std::string operation, std::string list,
                                        std::string member, json::Object request = {});

// Puts [{Key, Value}] under "Tags", from such a list or from a map, unless there are none.
void set_tags(json::Object& properties, const json::Value* tags);

}  // namespace tidemill::cloudformation
