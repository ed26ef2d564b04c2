#include "lang/templates/graph.h"

#include <algorithm>

#include "base/text.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    if (!out.empty()) out.append(", ");
    out.append(name);
  }
  return out;
}

// What a resource's functions ask of others, all its attributes included.
std::set<std::string, std::less<>> asked_by(const Scope& scope, const Resource& resource) {
  auto names = scope.needs(resource.properties).resources();
  for (const json::Value* part : {&resource.creation_policy, &resource.update_policy, &resource.metadata}) {
    names.merge(scope.needs(*part).resources());
  }
  return names;
}

}  // namespace

Graph::Graph(const Scope& scope) {
  const Template& stack = scope.stack();
  const auto is_active = [&](std::string_view name) { return scope.is_active(*stack.resource(name)); };
  std::vector<std::string> unresolved;
  for (const Resource& resource : stack.resources()) {
    if (!scope.is_active(resource)) continue;
    Names& names = dependencies_[resource.name];
    for (const std::string& name : asked_by(scope, resource)) {
      if (!is_active(name)) {
        if (std::ranges::find(unresolved, name) == unresolved.end()) unresolved.push_back(name);
      } else {
        names.insert(name);
      }
    }
    // Of what conditions leave out, nothing is there to wait for.
    for (const std::string& name : resource.depends_on) {
      if (is_active(name)) names.insert(name);
    }
  }
  if (!unresolved.empty()) {
    refuse_format(
        cat("Unresolved resource dependencies [", joined(unresolved), "] in the Resources block of the template"));
  }
  check_outputs(scope);
  for (const auto& [name, names] : dependencies_) {
    for (const std::string& other : names) dependents_[other].insert(name);
  }
  sort(stack);
}

void Graph::check_outputs(const Scope& scope) const {
  std::vector<std::string> unresolved;
  for (const Output& output : scope.stack().outputs()) {
    if (!scope.is_active(output)) continue;
    for (const std::string& name : scope.needs(output.value).resources()) {
      if (!dependencies_.contains(name) && std::ranges::find(unresolved, name) == unresolved.end())
        unresolved.push_back(name);
    }
  }
  // As AWS says it: without "Template format error".
  if (unresolved.empty()) return;
  throw TemplateError(
      cat("Unresolved resource dependencies [", joined(unresolved), "] in the Outputs block of the template"));
}

// Kahn's algorithm; of those that may come next, always the one that stands first in the template.
void Graph::sort(const Template& stack) {
  std::map<std::string_view, size_t> places;
  for (const Resource& resource : stack.resources()) places.emplace(resource.name, places.size());
  std::map<std::string_view, size_t> waits;
  std::set<size_t> ready;
  for (const auto& [name, names] : dependencies_) {
    waits[name] = names.size();
    if (names.empty()) ready.insert(places.at(name));
  }
  while (!ready.empty()) {
    const std::string& name = stack.resources()[*ready.begin()].name;
    ready.erase(ready.begin());
    order_.push_back(name);
    for (const std::string& dependent : dependents(name)) {
      if (--waits.at(dependent) == 0) ready.insert(places.at(dependent));
    }
  }
  if (order_.size() != dependencies_.size()) refuse_cycle(stack);
}

// What is left over is in a cycle or waits for one; the latter is taken away from the other end.
void Graph::refuse_cycle(const Template& stack) const {
  std::set<std::string_view> left;
  for (const auto& [name, names] : dependencies_) left.insert(name);
  for (const std::string& name : order_) left.erase(name);
  const auto is_waited_for = [&](std::string_view name) {
    return std::ranges::any_of(dependents(name), [&](const std::string& each) { return left.contains(each); });
  };
  for (bool changed = true; changed;) {
    changed = std::erase_if(left, [&](std::string_view name) { return !is_waited_for(name); }) != 0;
  }
  std::vector<std::string> names;
  for (const Resource& resource : stack.resources()) {
    if (left.contains(resource.name)) names.push_back(resource.name);
  }
  throw TemplateError(cat("Circular dependency between resources: [", joined(names), "]"));
}

const Graph::Names& Graph::dependencies(std::string_view name) const {
  static const Names kNone;
  const auto found = dependencies_.find(name);
  return found == dependencies_.end() ? kNone : found->second;
}

const Graph::Names& Graph::dependents(std::string_view name) const {
  static const Names kNone;
  const auto found = dependents_.find(name);
  return found == dependents_.end() ? kNone : found->second;
}

}  // namespace tidemill::lang::templates
