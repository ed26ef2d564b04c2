// Values of parameters: which there are, and what of them Ref sees. What they may be: parameter_checks.cc.
#include "lang/templates/parameters.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "lang/templates/contains.h"
#include "lang/templates/parameter_checks.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

constexpr std::string_view kStoredPrefix = "AWS::SSM::Parameter::Value<";
constexpr std::string_view kStoredName = "AWS::SSM::Parameter::Name";

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    if (!out.empty()) out.append(", ");
    out.append(name);
  }
  return out;
}

bool is_list_type(std::string_view type) { return type == "CommaDelimitedList" || type.starts_with("List<"); }

void check_given(std::span<const Parameter> declared, std::span<const GivenParameter> given) {
  std::vector<std::string> unknown;
  std::set<std::string_view> seen;
  for (const GivenParameter& each : given) {
    if (std::ranges::find(declared, each.key, &Parameter::name) == declared.end()) unknown.push_back(each.key);
    if (!seen.insert(each.key).second)
      throw TemplateError(cat("Parameters: [", each.key, "] are given more than once"));
    if (each.use_previous && each.value && !each.value->empty()) {
      throw TemplateError(cat("Invalid input for parameter key ", each.key,
                              ". Cannot specify usePreviousValue as true and non empty value for a parameter"));
    }
  }
  if (!unknown.empty()) throw TemplateError(cat("Parameters: [", joined(unknown), "] do not exist in the template"));
}

// resolve_parameters() lets a name that is not known yet stand for its own value.
bool is_told_later(const ParameterValue& value) { return value.resolved == value.value; }

const ParameterValue& previous_value(const std::string& key, const ParameterValues* previous) {
  const auto found = previous == nullptr ? ParameterValues::const_iterator() : previous->find(key);
  if (previous == nullptr || found == previous->end()) {
    throw TemplateError(
        cat("Invalid input for parameter key ", key,
            ". Cannot specify usePreviousValue as true for a parameter key not in the previous template"));
  }
  return found->second;
}

}  // namespace

bool Parameter::is_stored() const { return type.starts_with(kStoredPrefix); }

bool Parameter::is_list() const {
  return is_list_type(is_stored() ? std::string_view(type).substr(kStoredPrefix.size()) : std::string_view(type)) ||
         type == cat(kStoredPrefix, "CommaDelimitedList>");
}

ParameterValues resolve_parameters(std::span<const Parameter> declared, std::span<const GivenParameter> given,
                                   const ParameterValues* previous) {
  check_given(declared, given);
  ParameterValues values;
  std::vector<std::string> missing;
  for (const Parameter& parameter : declared) {
    const auto found = std::ranges::find(given, parameter.name, &GivenParameter::key);
    if (found != given.end() && found->use_previous) {
      // The name in the parameter store stays; its value is asked for again.
      values[parameter.name].value = previous_value(parameter.name, previous).value;
    } else if (found != given.end() && found->value) {
      values[parameter.name].value = *found->value;
      if (found->is_unknown) {
        if (parameter.is_stored() || parameter.type == kStoredName) values[parameter.name].resolved = *found->value;
        continue;
      }
    } else if (parameter.default_value) {
      values[parameter.name].value = *parameter.default_value;
    } else {
      missing.push_back(parameter.name);
      continue;
    }
    check_value(parameter, values[parameter.name].value);
  }
  if (!missing.empty()) throw TemplateError(cat("Parameters: [", joined(missing), "] must have values"));
  return values;
}

std::vector<std::string> stored_names(std::span<const Parameter> declared, const ParameterValues& values) {
  std::vector<std::string> names;
  for (const Parameter& parameter : declared) {
    const auto found = values.find(parameter.name);
    if ((!parameter.is_stored() && parameter.type != kStoredName) || found == values.end()) continue;
    if (is_told_later(found->second)) continue;
    if (!contains(names, found->second.value)) names.push_back(found->second.value);
  }
  return names;
}

void set_stored(std::span<const Parameter> declared, ParameterValues& values, const StoredValues& stored) {
  std::vector<std::string> missing, secret;
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (!contains(names, name)) names.push_back(name);
  };
  for (const Parameter& parameter : declared) {
    const auto value = values.find(parameter.name);
    if (value == values.end() || is_told_later(value->second)) continue;
    const auto found = stored.find(value->second.value);
    if (parameter.type == kStoredName && found == stored.end()) refuse_absent(parameter, value->second.value);
    if (!parameter.is_stored()) continue;
    if (found == stored.end()) {
      add(missing, value->second.value);
    } else if (!found->second) {
      add(secret, value->second.value);
    } else {
      value->second.resolved = found->second;
    }
  }
  if (!missing.empty()) {
    throw TemplateError(cat("Unable to fetch parameters [", joined(missing), "] from parameter store for this account."));
  }
  if (!secret.empty()) {
    throw TemplateError(
        cat("Parameters [", joined(secret), "] referenced by template have types not supported by CloudFormation."));
  }
}

json::Value parameter_as_value(const Parameter& parameter, const ParameterValue& value) {
  if (!parameter.is_list()) return value.effective();
  json::Array list;
  for (std::string& element : list_elements(value.effective())) list.emplace_back(std::move(element));
  return list;
}

}  // namespace tidemill::lang::templates
