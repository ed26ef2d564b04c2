// Code that stands in a template (Code.ZipFile of AWS::Lambda::Function): a package of one file, named as the handler
// of such functions wants it, index.js or index.py. Beside it lies the module by which functions answer for custom
// resources, as on AWS: cfn-response for Node.js, cfnresponse for Python.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::cloudformation {

// The package as base64. Throws InvalidRequest for a runtime whose code cannot stand in a template.
[[nodiscard]] std::string inline_package(std::string_view runtime, std::string_view source);

}  // namespace tidemill::cloudformation
