// Inside: AWS::Include. {"Fn::Transform": {"Name": "AWS::Include", "Parameters": {"Location": "s3://bucket/key"}}} is
// replaced by what lies there, or, beside other members, joined by its members; at the top level Transform does that.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "lang/templates/scope.h"

namespace tidemill::lang::templates {

using Included = std::map<std::string, std::string, std::less<>>;

// Each throws TransformError; macros other than AWS::Include within the template are refused by name.
[[nodiscard]] std::vector<std::string> find_locations(const json::Value& document, const Inputs& inputs);
[[nodiscard]] json::Value include_all(const json::Value& document, const Inputs& inputs, const Included& included);

}  // namespace tidemill::lang::templates
