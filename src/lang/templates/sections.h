// Inside: the sections of a template out of their JSON, each checked for itself. All of it throws TemplateError in
// AWS's words; what refers to another section is checked by references.h.
#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "lang/templates/template.h"

namespace tidemill::lang::templates {

// The section as an object, empty if there is none. `what` names its members: "Resources", "Outputs".
[[nodiscard]] const json::Object& section_of(const json::Object& document, std::string_view what);

// Sections' names, the version, the description; no null anywhere. `globals`: whether a section of that
// name, which transforms read, may be there.
void check_top_level(const json::Object& document, bool globals);

[[nodiscard]] std::vector<Parameter> read_parameters(const json::Object& section);
[[nodiscard]] std::vector<Resource> read_resources(const json::Object& section);
[[nodiscard]] std::vector<Output> read_outputs(const json::Object& section);
[[nodiscard]] std::vector<Rule> read_rules(const json::Object& section);
void check_mappings(const json::Object& section);

// A string of an object, empty if there is none.
[[nodiscard]] std::string text_member(const json::Value& object, std::string_view name);

[[nodiscard]] bool is_alphanumeric(std::string_view name);
// "Template format error: Number of resources, 501, is greater than maximum allowed, 500"
void check_count(std::string_view what, size_t count, size_t most);

}  // namespace tidemill::lang::templates
