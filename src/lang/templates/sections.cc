// What all sections share; the top level, mappings, outputs and rules. The others: sections_*.cc.
#include "lang/templates/sections.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "lang/templates/contains.h"
#include "lang/templates/functions.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

constexpr std::string_view kVersion = "2010-09-09";
constexpr size_t kMappingAttributesMax = 200;  // of one top-level key
constexpr std::array<std::string_view, 11> kSections = {"AWSTemplateFormatVersion",
                                                        "Conditions",
                                                        "Description",
                                                        "Hooks",
                                                        "Mappings",
                                                        "Metadata",
                                                        "Outputs",
                                                        "Parameters",
                                                        "Resources",
                                                        "Rules",
                                                        "Transform"};

std::string joined(const std::vector<std::string_view>& names) {
  std::string out;
  for (const std::string_view name : names) {
    if (!out.empty()) out.append(", ");
    out.append(name);
  }
  return out;
}

void refuse_nulls(const json::Value& value, std::string& path) {
  const size_t length = path.size();
  if (value.is_null()) throw TemplateError(cat("[", path, "] 'null' values are not allowed in templates"));
  if (value.is_array()) {
    for (size_t i = 0; i < value.array().size(); ++i) {
      path.append(cat("/", i));
      refuse_nulls(value.array()[i], path);
      path.resize(length);
    }
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.object()) {
      path.append("/").append(name);
      refuse_nulls(member, path);
      path.resize(length);
    }
  }
}

json::Value read_export(const json::Value& output) {
  const json::Value* given = output.find("Export");
  if (given == nullptr) return {};
  if (!given->is_object()) refuse_format("Every Export member must be a map");
  const json::Value* name = given->find("Name");
  if (name == nullptr || given->object().size() != 1)
    refuse_format("Every Export object must contain a Name member, and no other.");
  return *name;
}

Rule read_rule(const std::string& name, const json::Value& value) {
  if (!value.is_object()) refuse_format("Every Rules member must be a map");
  Rule rule{.name = name};
  for (const auto& [key, member] : value.object()) {
    if (key == "RuleCondition") rule.condition = member;
    if (key != "RuleCondition" && key != "Assertions")
      throw TemplateError(cat("Invalid template rule property '", key, "'"));
  }
  const json::Value* assertions = value.find("Assertions");
  if (assertions == nullptr || !assertions->is_array())
    refuse_format("Every Rules object must contain an Assertions member.");
  for (const json::Value& each : assertions->array()) {
    const json::Value* assert = each.find("Assert");
    if (assert == nullptr) refuse_format("Every Assertions object must contain an Assert member.");
    rule.assertions.push_back({.assert = *assert, .description = text_member(each, "AssertDescription")});
  }
  return rule;
}

}  // namespace

const json::Object& section_of(const json::Object& document, std::string_view what) {
  static const json::Object kNone;
  const json::Value* section = document.find(what);
  if (section == nullptr) return kNone;
  if (!section->is_object()) refuse_format(cat(what, " member must be an object."));
  return section->object();
}

void check_top_level(const json::Object& document, bool globals) {
  std::vector<std::string_view> unknown;
  for (const auto& [name, value] : document) {
    if (!contains(kSections, name) && !(globals && name == "Globals")) unknown.push_back(name);
  }
  if (!unknown.empty()) throw TemplateError(cat("Invalid template property or properties [", joined(unknown), "]"));
  if (document.find("Hooks") != nullptr) refuse_format("Hooks are not supported");
  for (const auto& [name, value] : document) {
    std::string path = "/" + name;
    refuse_nulls(value, path);
  }
  const json::Value* version = document.find("AWSTemplateFormatVersion");
  if (version != nullptr && (!version->is_string() || version->string() != kVersion)) {
    refuse_format("unsupported value for AWSTemplateFormatVersion.");
  }
  const json::Value* description = document.find("Description");
  if (description == nullptr) return;
  if (!description->is_string()) refuse_format("Every Description member must be a string.");
  if (description->string().size() > kDescriptionBytesMax) {
    refuse_format(cat("'Description' length is greater than ", kDescriptionBytesMax, "."));
  }
}

std::vector<Output> read_outputs(const json::Object& section) {
  check_count("outputs", section.size(), kOutputsMax);
  std::vector<Output> outputs;
  for (const auto& [name, value] : section) {
    if (!is_alphanumeric(name)) refuse_format(cat("Outputs name '", name, "' is non alphanumeric."));
    if (!value.is_object()) refuse_format("Every Outputs member must be a map");
    std::vector<std::string_view> unknown;
    for (const auto& [key, member] : value.object()) {
      if (key != "Value" && key != "Description" && key != "Export" && key != "Condition") unknown.push_back(key);
    }
    if (!unknown.empty()) refuse_format(cat("Invalid outputs property : [", joined(unknown), "]"));
    const json::Value* content = value.find("Value");
    if (content == nullptr) refuse_format("Every Outputs member must contain a Value object");
    Output output{.name = name, .value = *content, .export_name = read_export(value)};
    output.description = text_member(value, "Description");
    if (value.find("Condition") != nullptr) output.condition = text_member(value, "Condition");
    outputs.push_back(std::move(output));
  }
  return outputs;
}

std::vector<Rule> read_rules(const json::Object& section) {
  std::vector<Rule> rules;
  for (const auto& [name, value] : section) rules.push_back(read_rule(name, value));
  return rules;
}

void check_mappings(const json::Object& section) {
  check_count("mappings", section.size(), kMappingsMax);
  for (const auto& [name, mapping] : section) {
    if (!mapping.is_object()) refuse_format(cat("Every Mappings member ", name, " must be a map"));
    for (const auto& [top, row] : mapping.object()) {
      if (!row.is_object()) refuse_format(cat("Every Mappings member ", top, " must be a map"));
      check_count("mapping attributes", row.object().size(), kMappingAttributesMax);
      for (const auto& [second, value] : row.object()) {
        const bool is_list = value.is_array() && std::ranges::all_of(value.array(), [](const json::Value& element) {
                               return as_text(element).has_value();
                             });
        if (!is_list && !as_text(value)) refuse_format("Every Mappings attribute must be a String or a List.");
      }
    }
  }
}

std::string text_member(const json::Value& object, std::string_view name) {
  const json::Value* value = object.find(name);
  if (value == nullptr) return {};
  auto text = as_text(*value);
  if (!text) refuse_format(cat("Every ", name, " member must be a string."));
  return std::move(*text);
}

bool is_alphanumeric(std::string_view name) {
  return !name.empty() && name.size() <= kNameLengthMax && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

void check_count(std::string_view what, size_t count, size_t most) {
  if (count > most) {
    refuse_format(cat("Number of ", what, ", ", count, ", is greater than maximum allowed, ", most));
  }
}

}  // namespace tidemill::lang::templates
