// Inside: Fn::ToJsonString.
#pragma once

#include <functional>
#include <optional>

#include "base/json.h"
#include "lang/templates/scope.h"

namespace tidemill::lang::templates {

// What a value is before the deployment; nothing for what depends on resources.
using ValueOf = std::function<std::optional<json::Value>(const json::Value& value)>;

// The JSON text of a value; with functions left in it that depend on resources, the Fn::Join that will make it. These
// give strings.
[[nodiscard]] json::Value json_string(const json::Value& value, const Template& original, const Inputs& inputs,
                                      const ValueOf& value_of);

}  // namespace tidemill::lang::templates
