#include "lang/templates/parameter_checks.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "lang/templates/contains.h"
#include "lang/templates/parameters.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

// Types whose values name what other services hold. None of these services is here, so that none of their values
// exists, but for the zones, which are known by their form.
constexpr std::string_view kZoneType = "AWS::EC2::AvailabilityZone::Name";
constexpr std::array<std::string_view, 10> kExternalTypes = {
    kZoneType,
    "AWS::EC2::Image::Id",
    "AWS::EC2::Instance::Id",
    "AWS::EC2::KeyPair::KeyName",
    "AWS::EC2::SecurityGroup::GroupName",
    "AWS::EC2::SecurityGroup::Id",
    "AWS::EC2::Subnet::Id",
    "AWS::EC2::Volume::Id",
    "AWS::EC2::VPC::Id",
    "AWS::Route53::HostedZone::Id",
};

// "X" of "<prefix>X>".
std::optional<std::string_view> within(std::string_view type, std::string_view prefix) {
  if (!type.starts_with(prefix) || !type.ends_with('>')) return std::nullopt;
  return type.substr(prefix.size(), type.size() - prefix.size() - 1);
}

std::optional<double> as_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

size_t code_points(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

// In the parameter's own words, if it has some.
[[noreturn]] void refuse_value(const Parameter& parameter, const std::string& why) {
  if (parameter.constraint_description) {
    throw TemplateError(
        cat("Parameter ", parameter.name, " failed to satisfy constraint: ", *parameter.constraint_description));
  }
  throw TemplateError(cat("Parameter '", parameter.name, "' ", why));
}

void check_pattern(const Parameter& parameter, const std::string& value) {
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 pattern(*parameter.allowed_pattern, options);
  if (!pattern.ok()) {
    throw TemplateError(cat("Parameter '", parameter.name, "' has an AllowedPattern that cannot be used here: ",
                            *parameter.allowed_pattern, " (", pattern.error(), ")"));
  }
  if (!RE2::FullMatch(value, pattern)) refuse_value(parameter, cat("must match pattern ", *parameter.allowed_pattern));
}

void check_number(const Parameter& parameter, const std::string& text) {
  const auto number = as_number(text);
  if (!number) throw TemplateError(cat("Parameter '", parameter.name, "' must be a number."));
  const auto shown = [](double limit) {
    std::string out;
    json::Writer(out).number(limit);
    return out;
  };
  if (parameter.min_value && *number < *parameter.min_value) {
    refuse_value(parameter, cat("must be a number not less than ", shown(*parameter.min_value)));
  }
  if (parameter.max_value && *number > *parameter.max_value) {
    refuse_value(parameter, cat("must be a number not greater than ", shown(*parameter.max_value)));
  }
}

void check_length(const Parameter& parameter, const std::string& value) {
  const size_t length = code_points(value);
  if (parameter.min_length && length < *parameter.min_length) {
    refuse_value(parameter, cat("must contain at least ", *parameter.min_length, " characters"));
  }
  if (parameter.max_length && length > *parameter.max_length) {
    refuse_value(parameter, cat("must contain at most ", *parameter.max_length, " characters"));
  }
}

void check_exists(const Parameter& parameter, std::string_view type, const std::string& value) {
  static const RE2 zone("[a-z]{2}(-[a-z]+)+-[0-9][a-z]");
  if (!contains(kExternalTypes, type)) return;
  if (type == kZoneType && RE2::FullMatch(value, zone)) return;
  refuse_absent(parameter, value);
}

void check_element(const Parameter& parameter, std::string_view type, const std::string& value) {
  if (parameter.allowed_values && !contains(*parameter.allowed_values, value)) {
    refuse_value(parameter, "must be one of AllowedValues");
  }
  if (parameter.allowed_pattern) check_pattern(parameter, value);
  if (type == "Number") check_number(parameter, value);
  check_exists(parameter, type, value);
}

}  // namespace

bool is_parameter_type(std::string_view type) {
  if (const auto stored = within(type, "AWS::SSM::Parameter::Value<")) {
    return stored == "List<String>" || (stored != "Number" && stored != "List<Number>" &&
                                        !stored->starts_with("AWS::SSM::") && is_parameter_type(*stored));
  }
  if (const auto element = within(type, "List<")) {
    return element == "Number" || contains(kExternalTypes, *element);
  }
  return type == "String" || type == "Number" || type == "CommaDelimitedList" || type == "AWS::SSM::Parameter::Name" ||
         contains(kExternalTypes, type);
}

void check_value(const Parameter& parameter, const std::string& value) {
  if (value.size() > kParameterValueBytesMax) {
    throw TemplateError(
        cat("Parameter '", parameter.name, "' must contain at most ", kParameterValueBytesMax, " bytes"));
  }
  // Of a stored parameter, this is its name; constraints are on that.
  if (parameter.is_stored() || !parameter.is_list()) {
    check_length(parameter, value);
    return check_element(parameter, parameter.type, value);
  }
  const std::string_view type = within(parameter.type, "List<").value_or("String");
  for (const std::string& element : list_elements(value)) check_element(parameter, type, element);
}

void refuse_absent(const Parameter& parameter, std::string_view value) {
  throw TemplateError(cat("Parameter validation failed: parameter value ", value, " for parameter name ",
                          parameter.name, " does not exist"));
}

std::vector<std::string> list_elements(std::string_view text) {
  std::vector<std::string> elements;
  while (true) {
    const size_t comma = text.find(',');
    std::string_view element = text.substr(0, comma);
    const size_t begin = element.find_first_not_of(" \t\r\n");
    element = begin == std::string_view::npos ? std::string_view() : element.substr(begin);
    element = element.substr(0, element.find_last_not_of(" \t\r\n") + 1);
    elements.emplace_back(element);
    if (comma == std::string_view::npos) return elements;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace tidemill::lang::templates
