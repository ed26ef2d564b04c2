// Inside: what the value of a parameter may be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/templates/template.h"

namespace tidemill::lang::templates {

// Whether a parameter may be declared of this type.
[[nodiscard]] bool is_parameter_type(std::string_view type);

// Throws TemplateError in AWS's words, or in those of the parameter's ConstraintDescription.
void check_value(const Parameter& parameter, const std::string& value);

// A value of a type whose values must exist does not: "Parameter validation failed: …".
[[noreturn]] void refuse_absent(const Parameter& parameter, std::string_view value);

// The elements of "a, b,c", each without white space around it. Of an empty text: one, empty.
[[nodiscard]] std::vector<std::string> list_elements(std::string_view text);

}  // namespace tidemill::lang::templates
