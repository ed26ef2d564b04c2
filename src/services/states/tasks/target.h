// What a task's resource means on this platform: which operation is called, and by whose integration.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "services/states/tasks/integration.h"
#include "services/states/tasks/task.h"
#include "wire/registry.h"

namespace tidemill::states::tasks {

enum class TargetKind {
  function,   // a function by its own ARN
  activity,   // the engine's matter
  optimised,  // an integration of AWS's
  sdk,        // any operation, by the names of AWS's SDK for Java
  http,       // an endpoint over HTTP
};

struct Target {
  TargetKind kind = TargetKind::function;
  std::string service;                       // as the registry names it: "events"; empty: no operation is called
  std::string operation;                     // the same: "PutEvents"
  const Integration* integration = nullptr;  // of an optimised one; lives as long as the program
};

// Or why a definition may not have the resource: AWS does not know it either, or Tidemill lacks it.
[[nodiscard]] std::expected<Target, std::string> find_target(const wire::Registry& registry, const Resource& resource);

// Why the parameters cannot be what they are, in AWS's words; empty: they can. Looks at the names of the template that
// a definition has ("QueueUrl.$" gives QueueUrl), and at those of what came of it all the same.
[[nodiscard]] std::string names_problem(const wire::Registry& registry, const Target& target,
                                        const json::Value& parameters);

}  // namespace tidemill::states::tasks
