// Imports: change sets that take resources into a stack which stand already.
#pragma once

#include "services/cloudformation/asked.h"
#include "services/cloudformation/changes.h"
#include "services/cloudformation/change_set.h"
#include "services/cloudformation/plan.h"
#include "services/cloudformation/resource.h"
#include "wire/context.h"

namespace tidemill::cloudformation {

// The physical ids that the request names, by logical ids. Throws ValidationError for what cannot be imported.
[[nodiscard]] base::json::TextMap requested_imports(const shapes::CreateChangeSetInput& request);

// Throws ValidationError unless the template has these resources, as new ones that are to be kept, and no other new ones,
// and unless they are in no stack. `before`: null, if the stack is new; `resources`: the stack's. What an import that
// failed has left in the template is not there.
Task<void> check_imports(store::Snapshot& reader, const Stack& stack, const Plan& plan, const Plan* before,
                         const Resources& resources, const base::json::TextMap& importing);

// Why the resource cannot come into this stack: it is in one. Nothing: it can.
Task<std::optional<std::string>> why_taken(store::Snapshot& reader, const StackId& stack, std::string logical_id,
                                           std::string physical_id);

// Makes of additions what they are. Throws TemplateRefused if anything else changes.
void show_imports(const ChangeSet& set, Changes& changes);

}  // namespace tidemill::cloudformation
