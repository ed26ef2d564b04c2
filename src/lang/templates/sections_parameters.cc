// The Parameters section.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "lang/templates/contains.h"
#include "lang/templates/functions.h"
#include "lang/templates/parameter_checks.h"
#include "lang/templates/sections.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

constexpr size_t kDescriptionMax = 4000;  // characters, also of ConstraintDescription
constexpr std::array<std::string_view, 11> kAttributes = {
    "Type",      "Default",  "AllowedValues", "AllowedPattern", "ConstraintDescription", "Description", "MaxLength",
    "MinLength", "MaxValue", "MinValue",      "NoEcho",
};

std::optional<std::string> optional_text(const json::Value& parameter, std::string_view name) {
  if (parameter.find(name) == nullptr) return std::nullopt;
  return text_member(parameter, name);
}

// Numbers may be written as strings.
template <class Number>
std::optional<Number> optional_number(const json::Value& parameter, std::string_view name) {
  const auto text = optional_text(parameter, name);
  if (!text) return std::nullopt;
  Number number{};
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size())
    refuse_format(cat("Every ", name, " member must be a number."));
  return number;
}

std::optional<std::vector<std::string>> read_allowed_values(const json::Value& parameter) {
  const json::Value* given = parameter.find("AllowedValues");
  if (given == nullptr) return std::nullopt;
  if (!given->is_array()) refuse_format("Every AllowedValues member must be a list.");
  std::vector<std::string> values;
  for (const json::Value& value : given->array()) {
    auto text = as_text(value);
    if (!text) refuse_format("Every AllowedValues value must be a string.");
    values.push_back(std::move(*text));
  }
  return values;
}

bool read_no_echo(const json::Value& parameter) {
  const std::string text = text_member(parameter, "NoEcho");
  if (text.empty() || text == "false") return false;
  if (text == "true") return true;
  refuse_format("Every NoEcho member must be a boolean.");
}

Parameter read_parameter(const std::string& name, const json::Value& value) {
  for (const auto& [key, member] : value.object()) {
    if (!contains(kAttributes, key)) throw TemplateError(cat("Invalid template parameter property '", key, "'"));
  }
  Parameter parameter{.name = name, .type = text_member(value, "Type")};
  if (parameter.type.empty()) refuse_format("Every Parameters object must contain a Type member.");
  if (!is_parameter_type(parameter.type)) refuse_format(cat("Unrecognized parameter type: ", parameter.type));
  parameter.default_value = optional_text(value, "Default");
  parameter.allowed_values = read_allowed_values(value);
  parameter.allowed_pattern = optional_text(value, "AllowedPattern");
  parameter.constraint_description = optional_text(value, "ConstraintDescription");
  parameter.min_length = optional_number<size_t>(value, "MinLength");
  parameter.max_length = optional_number<size_t>(value, "MaxLength");
  parameter.min_value = optional_number<double>(value, "MinValue");
  parameter.max_value = optional_number<double>(value, "MaxValue");
  parameter.description = text_member(value, "Description");
  if (parameter.description.size() > kDescriptionMax) {
    refuse_format(cat("Description must be no longer than ", kDescriptionMax, " characters."));
  }
  parameter.no_echo = read_no_echo(value);
  return parameter;
}

}  // namespace

std::vector<Parameter> read_parameters(const json::Object& section) {
  check_count("parameters", section.size(), kParametersMax);
  std::vector<Parameter> parameters;
  for (const auto& [name, value] : section) {
    if (!value.is_object()) refuse_format("Any Parameters member must be an object.");
    if (!is_alphanumeric(name)) refuse_format(cat("Parameter name ", name, " is non alphanumeric."));
    parameters.push_back(read_parameter(name, value));
  }
  return parameters;
}

}  // namespace tidemill::lang::templates
