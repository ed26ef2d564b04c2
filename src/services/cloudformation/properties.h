// Properties by a type's table: checked and brought into the forms that operations want, and what a change of them takes.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/json.h"
#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

// The properties do not fit the type: what() is the reason that the resource fails with, in AWS's words.
struct PropertiesRefused : std::runtime_error {
  explicit PropertiesRefused(const std::string& what) : std::runtime_error(what) {}
};

// Where `given` comes from: a template, or a client who says all that a resource is to be; or, with a client's changes,
// the resource itself, which does not tell what can only be written (Property::write_only).
enum class Source { told, read };

// `given` is what the template's expressions came to; absent properties stay absent. Throws PropertiesRefused.
[[nodiscard]] json::Object checked_properties(const ResourceType& type, std::string_view logical_id,
                                              const json::Object& given, Source source = Source::told);

// Names of the outermost properties whose values differ, in the order of the table.
[[nodiscard]] std::vector<std::string> changed_properties(const json::Object& before, const json::Object& after);

// `base` with the members of these names as `other` has them, or not at all.
[[nodiscard]] json::Object with_members(json::Object base, const json::Object& other,
                                        const std::vector<std::string>& names);

// What a change starts from that brings a resource to `after`, which was left somewhere between `base` and `attempted`:
// it differs from `after` in all in which the resource may. Of a list it has what may be in it and is to go, and what
// is to stay and surely is in it: so a change by elements takes away all of the one, and adds all but the other.
[[nodiscard]] json::Object between(json::Object base, const json::Object& attempted, const json::Object& after);

// `base` with what it lacks of `other`: members, and elements of lists that both have.
[[nodiscard]] json::Object with_lists_of(json::Object base, const json::Object& other);

// "Never", "Conditionally", "Always", as change sets say it.
[[nodiscard]] std::string_view requires_recreation(const ResourceType& type, std::string_view property);

// Whether the change needs a new resource.
[[nodiscard]] bool needs_replacement(const ResourceType& type, const json::Object& before, const json::Object& after);

}  // namespace tidemill::cloudformation
