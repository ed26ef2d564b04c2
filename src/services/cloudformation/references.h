// What dynamic references stand for, asked of the services that keep it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lang/templates/dynamic_reference.h"
#include "services/cloudformation/resource.h"
#include "services/cloudformation/step.h"

namespace tidemill::cloudformation {

// By the references' texts. Throws what the services answer, and TemplateError for a key that a secret does not have.
Task<std::map<std::string, std::string, std::less<>>> resolve_references(
    Step& step, std::vector<lang::templates::DynamicReference> references);

// That a resource has no such attribute, as AWS says it at `where`.
[[nodiscard]] std::string unknown_attribute(const Resource& resource, std::string_view attribute, std::string_view where);

}  // namespace tidemill::cloudformation
