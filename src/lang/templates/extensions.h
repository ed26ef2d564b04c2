// Inside: AWS::LanguageExtensions. Fn::ForEach becomes what it repeats, Fn::Length a number, Fn::ToJsonString a text;
// Fn::FindInMap may have a default; names in Ref and Fn::GetAtt, policies, conditions and DependsOn of resources may be
// functions. What depends on resources stays for the deployment.
#pragma once

#include "base/json.h"
#include "lang/templates/scope.h"

namespace tidemill::lang::templates {

// Throws TransformError, with AWS's words behind "Transform AWS::LanguageExtensions failed with: ".
[[nodiscard]] json::Value apply_extensions(const json::Value& document, const Inputs& inputs);

}  // namespace tidemill::lang::templates
