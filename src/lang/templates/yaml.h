// Inside: YAML text as JSON text, with CloudFormation's short functions in their long forms. The only part that knows
// the YAML library.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::lang::templates {

// `text` is UTF-8. Throws TemplateError. What comes back nests no deeper than kTemplateDepthMax.
[[nodiscard]] std::string yaml_to_json(std::string_view text);

}  // namespace tidemill::lang::templates
