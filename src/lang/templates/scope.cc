#include "lang/templates/scope.h"

#include "base/text.h"
#include "lang/templates/evaluation.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

// What an evaluation knows that only collects what is asked for.
const Known& nothing_yet() {
  static const Known known{.partial = true};
  return known;
}

}  // namespace

bool OutputOfStack::mentions(std::string_view text) const {
  for (const std::string* each : {&stack, &output, &region, &role}) {
    if (each->find(text) != std::string::npos) return true;
  }
  return false;
}

std::string output_not_found(const OutputOfStack& name) {
  return base::cat("TemplateError: Fn::GetStackOutput references output ", name.output, " from stack ", name.stack,
                   ", but this output was not found. The output may have been deleted.");
}

std::set<std::string, std::less<>> Needs::resources() const {
  std::set<std::string, std::less<>> names = refs;
  for (const Attribute& attribute : attributes) names.insert(attribute.first);
  return names;
}

Scope::Scope(const Template& stack, Inputs inputs) : stack_(stack), inputs_(std::move(inputs)) {
  static const Known kNothing;
  Evaluation evaluation(stack_, inputs_, kNothing, Evaluation::Place::condition);
  for (const auto& [name, value] : stack_.conditions()) (void)evaluation.condition(name);
  conditions_ = evaluation.conditions();
}

bool Scope::condition(std::string_view name) const {
  const auto found = conditions_.find(name);
  if (found == conditions_.end()) {
    refuse_format(base::cat("Condition ", name, " is not defined."));
  }
  return found->second;
}

bool Scope::is_active(const Resource& resource) const { return !resource.condition || condition(*resource.condition); }
bool Scope::is_active(const Output& output) const { return !output.condition || condition(*output.condition); }

Needs Scope::needs(const json::Value& value) const { return needs(value, nothing_yet()); }

Needs Scope::needs(const json::Value& value, const Known& known) const {
  Evaluation evaluation(stack_, inputs_, known, conditions_);
  (void)evaluation.evaluate(value);
  return evaluation.needs();
}

std::set<std::string, std::less<>> Scope::parameters_used(const json::Value& value) const {
  Evaluation evaluation(stack_, inputs_, nothing_yet(), conditions_);
  (void)evaluation.evaluate(value);
  return evaluation.parameters();
}

json::Value Scope::evaluate(const json::Value& value, const Known& known) const {
  Evaluation evaluation(stack_, inputs_, known, conditions_);
  auto result = evaluation.evaluate(value);
  return result ? std::move(*result) : json::Value();
}

}  // namespace tidemill::lang::templates
