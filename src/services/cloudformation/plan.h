// A template with its parameters, ready to be deployed: its conditions decided, its resources in order.
#pragma once

#include <memory>
#include <string_view>

#include "base/blocking_work.h"
#include "lang/templates/graph.h"
#include "lang/templates/scope.h"
#include "lang/templates/template.h"
#include "services/cloudformation/stack.h"
#include "services/cloudformation/template_text.h"

namespace tidemill::cloudformation {

struct Plan {
  // Throws TemplateError: rules that do not hold, circles, references to what is not there.
  Plan(json::Value document, const StackId& id, const Settings& settings);
  Plan(const Plan&) = delete;

  const lang::templates::Template stack;
  const lang::templates::Scope scope;
  const lang::templates::Graph graph;
};

// Templates of nested stacks may have changed where they are, so there is always something to look after.
[[nodiscard]] bool has_nested_stacks(const Plan& plan);

[[nodiscard]] lang::templates::Pseudo pseudo_of(const StackId& id, const Settings& settings);

// Of what is stored, read on a thread of `work`. Throws std::runtime_error if it is not there or cannot be read any
// more.
Task<std::unique_ptr<Plan>> load_plan(base::BlockingWork& work, store::Snapshot& reader, const StackId& id,
                                      std::string_view slot, const Settings& settings);

}  // namespace tidemill::cloudformation
