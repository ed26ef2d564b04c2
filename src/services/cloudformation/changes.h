// What a deployment would change, as change sets list it: by evaluating the template with what is known now.
#pragma once

#include <map>
#include <string>

#include "base/json.h"
#include "services/cloudformation/asked.h"
#include "services/cloudformation/resource.h"
#include "services/cloudformation/step.h"

namespace tidemill::cloudformation {

inline constexpr std::string_view kAutomatic = "Automatic";

struct Changes {
  json::Array list;      // {"Type": "Resource", "ResourceChange": {…}}, members named as in the API
  std::string warning;   // what could not be evaluated; empty: nothing
  // What nested stacks are asked to be, by their logical ids, as far as it is known (templates::kKnownAfterApply).
  std::map<std::string, json::Object> nested;
};

// Nested stacks are listed whether or not anything of them changes that can be seen from here; what says so has
// "ChangeSource": "Automatic". `resources`: what stands; `before`: the plan that made it, null for a new stack. `reader` knows the exports;
// outputs of other stacks are asked by `context`.
Task<Changes> find_changes(store::Snapshot& reader, wire::Context& context, const Definition& definition, const Plan* before,
                           const Resources& resources, const Stack& stack);

}  // namespace tidemill::cloudformation
