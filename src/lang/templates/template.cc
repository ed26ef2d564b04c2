#include "lang/templates/template.h"

#include <algorithm>

#include "base/text.h"
#include "lang/templates/references.h"
#include "lang/templates/sections.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {

using base::cat;

Template::Template(json::Value document) : Template(std::move(document), Reading::whole) {}

Template Template::of_original(json::Value document) { return {std::move(document), Reading::original}; }

Template::Template(json::Value document, Reading reading) : document_(std::move(document)) {
  if (!document_.is_object()) refuse_format("unsupported structure.");
  const json::Object& sections = document_.object();
  transforms_ = transforms_of(document_);
  check_top_level(sections, reading == Reading::original);
  description_ = text_member(document_, "Description");
  if (const json::Value* metadata = sections.find("Metadata")) metadata_ = *metadata;
  parameters_ = read_parameters(section_of(sections, "Parameters"));
  for (size_t i = 0; i < parameters_.size(); ++i) parameter_places_.emplace(parameters_[i].name, i);
  read_resources(reading);
  for (size_t i = 0; i < resources_.size(); ++i) resource_places_.emplace(resources_[i].name, i);
  conditions_ = section_of(sections, "Conditions");
  mappings_ = section_of(sections, "Mappings");
  if (reading == Reading::original) return;
  check_mappings(mappings_);
  outputs_ = read_outputs(section_of(sections, "Outputs"));
  rules_ = read_rules(section_of(sections, "Rules"));
  check_references(*this);
}

void Template::read_resources(Reading reading) {
  const json::Object& section = section_of(document_.object(), "Resources");
  if (reading == Reading::whole) {
    resources_ = templates::read_resources(section);
  } else {
    for (const auto& [name, value] : section) {
      if (value.is_object()) resources_.push_back({.name = name, .type = text_member(value, "Type")});
    }
  }
}

const Parameter* Template::parameter(std::string_view name) const {
  const auto found = parameter_places_.find(name);
  return found == parameter_places_.end() ? nullptr : &parameters_[found->second];
}

const Resource* Template::resource(std::string_view name) const {
  const auto found = resource_places_.find(name);
  return found == resource_places_.end() ? nullptr : &resources_[found->second];
}

std::vector<std::string> transforms_of(const json::Value& document) {
  const json::Value* section = document.find("Transform");
  if (section == nullptr) return {};
  std::vector<std::string> names;
  const auto add = [&](const json::Value& transform) {
    const json::Value* name = transform.is_object() ? transform.find("Name") : &transform;
    if (name == nullptr || !name->is_string())
      refuse_format("Every Transform member must be a string or an object with a Name.");
    names.push_back(name->string());
  };
  if (section->is_array()) {
    std::ranges::for_each(section->array(), add);
  } else {
    add(*section);
  }
  return names;
}

}  // namespace tidemill::lang::templates
