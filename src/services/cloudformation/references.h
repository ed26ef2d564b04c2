// What dynamic references stand for, asked of the services that keep it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lang/templates/dynamic_reference.h"
#include "services/cloudformation/resource.h"
#include "services/cloudformation/step.h"

namespace tidemill::cloudformation {

// By the references' texts. Throws what the services answer, and TemplateError for a key that a secret does not have.
Task<std::map<std::string, std::string, std::less<>>> resolve_references(
    Step& step, std::vector<lang::templates::DynamicReference> references);

// Where the properties of a resource refer to SecureStrings and AWS takes none: all but a few properties, of types that
// are not carried. Throws TemplateError for a malformed reference.
[[nodiscard]] std::vector<std::string> misplaced_secure_references(std::string_view type,
                                                                   const json::Value& properties);
// That there are some, as AWS says it.
[[nodiscard]] std::string refusal_of_secure_references(const std::vector<std::string>& places);

// That a resource has no such attribute, as AWS says it at `where`.
[[nodiscard]] std::string unknown_attribute(const Resource& resource, std::string_view attribute, std::string_view where);

}  // namespace tidemill::cloudformation
