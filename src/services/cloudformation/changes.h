// What a deployment would change, as change sets list it: by evaluating the template with what is known now.
#pragma once

#include <string>

#include "base/json.h"
#include "services/cloudformation/asked.h"
#include "services/cloudformation/resource.h"
#include "services/cloudformation/step.h"

namespace tidemill::cloudformation {

struct Changes {
  json::Array list;      // {"Type": "Resource", "ResourceChange": {…}}, members named as in the API
  std::string warning;   // what could not be evaluated; empty: nothing
};

// `resources`: what stands; `before`: the plan that made it, null for a new stack. `reader` knows the exports.
Task<Changes> find_changes(store::Snapshot& reader, const Definition& definition, const Plan* before,
                           const Resources& resources, const Stack& stack);

}  // namespace tidemill::cloudformation
