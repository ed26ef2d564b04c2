// Imports: change sets that take resources into a stack which stand already.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "services/cloudformation/asked.h"
#include "services/cloudformation/changes.h"
#include "services/cloudformation/change_set.h"
#include "services/cloudformation/plan.h"
#include "services/cloudformation/resource.h"
#include "wire/context.h"

namespace tidemill::cloudformation {

// The physical ids that the request names, by logical ids. Throws ValidationError for what cannot be imported.
[[nodiscard]] base::json::TextMap requested_imports(const shapes::CreateChangeSetInput& request);

// Throws ValidationError unless the template has these resources, of these types, as new ones that are to be kept, and no
// other new ones, and unless they are in no stack. `types`: Asked::import_types, of all in `importing`; `before`: null, if
// the stack is new; `resources`: the stack's. What an import that failed has left in the template is not there.
Task<void> check_imports(store::Snapshot& reader, const Stack& stack, const Plan& plan, const Plan* before,
                         const Resources& resources, const base::json::TextMap& importing,
                         const base::json::TextMap& types);

// What is to come into a stack.
struct Candidate {
  std::string logical_id;
  std::string type;
  std::string physical_id;
  base::json::Object properties;  // of these, what tells where it is (Identification::beside)
};
using Names = std::set<std::string, std::less<>>;
// Why it cannot come into this stack: it is in one. Nothing: it can. `leaving`: the stack's own that go with the change
// and are left alone, and may come back under other names.
Task<std::optional<std::string>> why_taken(store::Snapshot& reader, StackId stack, Candidate candidate,
                                           const Names& leaving);
[[nodiscard]] Names names_left_alone(const Plan& plan, const Resources& resources);

// Makes of additions what they are.
void show_imports(const ChangeSet& set, Changes& changes);
// Throws TemplateRefused if anything else changes.
void require_only_imports(const ChangeSet& set, const Changes& changes);

}  // namespace tidemill::cloudformation
