// Labels on event source mappings: given at the creation, and changed and listed by the operations that label functions
// too (tags.cc). Mappings do not show them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "services/lambda/tag_rules.h"
#include "wire/context.h"

namespace tidemill::lambda {

// Whether the ARN says that it is a mapping's.
[[nodiscard]] bool is_mapping_arn(std::string_view arn);

// These throw ResourceNotFoundException if the caller has no such mapping.
Task<Tags> list_mapping_tags(wire::Context& context, std::string arn);
Task<void> tag_mapping(wire::Context& context, std::string arn, Tags tags);
Task<void> untag_mapping(wire::Context& context, std::string arn, std::vector<std::string> keys);

}  // namespace tidemill::lambda
