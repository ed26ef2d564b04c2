// Which resource waits for which: by DependsOn, and by Ref, GetAtt and Sub in what its conditions leave of it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lang/templates/scope.h"

namespace tidemill::lang::templates {

class Graph {
 public:
  using Names = std::set<std::string, std::less<>>;

  // Throws TemplateError: a cycle, or a reference to a resource that conditions leave out ("Unresolved resource
  // dependencies"), outputs included.
  explicit Graph(const Scope& scope);

  // The active resources, each behind all it depends on; otherwise in the template's order.
  [[nodiscard]] const std::vector<std::string>& order() const { return order_; }
  // What it waits for, directly. Empty for one that is not active.
  [[nodiscard]] const Names& dependencies(std::string_view name) const;
  // What waits for it, directly.
  [[nodiscard]] const Names& dependents(std::string_view name) const;

 private:
  void check_outputs(const Scope& scope) const;
  void sort(const Template& stack);
  [[noreturn]] void refuse_cycle(const Template& stack) const;

  std::vector<std::string> order_;
  std::map<std::string, Names, std::less<>> dependencies_;
  std::map<std::string, Names, std::less<>> dependents_;
};

}  // namespace tidemill::lang::templates
