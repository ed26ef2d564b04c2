// Parameters of a stack: what the caller gave, what the stack had before and what the template declares, made into
// values.
//
//   ParameterValues values = resolve_parameters(stack.parameters(), given, previous);
//   for (const std::string& name : stored_names(stack.parameters(), values)) …   // ask the parameter store
//   set_stored(stack.parameters(), values, stored);
//   check_rules(stack, {pseudo, values});
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/templates/template.h"

namespace tidemill::lang::templates {

inline constexpr size_t kParameterValueBytesMax = 4096;

struct GivenParameter {
  std::string key;
  std::optional<std::string> value;
  bool use_previous = false;
  bool is_unknown = false;  // `value` stands for one that is told later, and is not checked
};

struct ParameterValue {
  std::string value;                    // as it was given: of a stored parameter, its name
  std::optional<std::string> resolved;  // of a stored parameter: its value, lists with commas

  // What Ref sees.
  [[nodiscard]] const std::string& effective() const { return resolved ? *resolved : value; }
};

using ParameterValues = std::map<std::string, ParameterValue, std::less<>>;

// What names stand for in the parameter store. Nothing: a SecureString, which may be named, but whose value is not told.
using StoredValues = std::map<std::string, std::optional<std::string>, std::less<>>;

// The values of all declared parameters, checked against what they may be. Throws TemplateError. `previous` is what the
// stack has: nothing, if there is none. Values of stored parameters are checked by set_stored().
[[nodiscard]] ParameterValues resolve_parameters(std::span<const Parameter> declared,
                                                 std::span<const GivenParameter> given,
                                                 const ParameterValues* previous = nullptr);

// The names in the parameter store that values stand for, each once. "name:version" is asked for as it stands.
[[nodiscard]] std::vector<std::string> stored_names(std::span<const Parameter> declared, const ParameterValues& values);

// Puts in what the parameter store said. Throws TemplateError of the names that are not there, and of those whose values
// are not told.
void set_stored(std::span<const Parameter> declared, ParameterValues& values, const StoredValues& stored);

// What Ref of this parameter gives: a string, or a list of strings.
[[nodiscard]] json::Value parameter_as_value(const Parameter& parameter, const ParameterValue& value);

}  // namespace tidemill::lang::templates
