// Outputs of other stacks (Fn::GetStackOutput), of any region and, by a role, of any account of this server. The value is
// what the output is then: neither stack knows of the other afterwards.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "lang/templates/scope.h"
#include "wire/context.h"

namespace tidemill::cloudformation {

// Its value, as DescribeStacks tells it to who asks by `context`, or to the role that is named, if that one may assume it.
// Throws TemplateError with what AWS says of that which is not there or not allowed.
Task<std::string> output_of_stack(wire::Context context, lang::templates::OutputOfStack name);

// Adds to `known` the outputs that `written` names, once what names them is known; `look_up` may give nothing.
using LookUpOutput = std::function<Task<std::optional<std::string>>(lang::templates::OutputOfStack name)>;
Task<void> add_outputs(const lang::templates::Scope& scope, const json::Value& written, lang::templates::Known& known,
                       LookUpOutput look_up);

}  // namespace tidemill::cloudformation
