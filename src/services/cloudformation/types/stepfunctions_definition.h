// A state machine's definition as a template gives it.
#pragma once

#include <string>

#include "base/json.h"
#include "base/task.h"
#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

// The text of DefinitionString, Definition or DefinitionS3Location, with DefinitionSubstitutions made. YAML in a bucket
// becomes JSON. Throws InvalidRequest unless there is exactly one of the three.
Task<std::string> state_machine_definition(Step& step, const json::Object& properties);

// "${name}" replaced by the value of that name; names that there are not stay.
[[nodiscard]] std::string substituted(std::string_view text, const json::Object& substitutions);

}  // namespace tidemill::cloudformation
