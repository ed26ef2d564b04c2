// Conditions of the template, and what rules may ask beside.
#include <algorithm>

#include "base/text.h"
#include "lang/templates/arguments.h"
#include "lang/templates/evaluation.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

constexpr size_t kOperandsMin = 2;
constexpr size_t kOperandsMax = 10;

const json::Array& operands_of(const Call& call) {
  if (!call.argument->is_array() || call.argument->array().size() < kOperandsMin ||
      call.argument->array().size() > kOperandsMax) {
    refuse(cat("every ", call.name, " object requires a list of at least 2 and at most 10 boolean parameters."));
  }
  return call.argument->array();
}

// "Condition": "Name" stands for a condition where a condition is wanted.
std::optional<Call> as_condition_call(const json::Value& value) {
  if (const auto call = as_call(value)) return call;
  if (!value.is_object() || value.object().size() != 1) return std::nullopt;
  const auto& [name, argument] = *value.object().begin();
  if (name != kCondition) return std::nullopt;
  return Call{name, &argument};
}

}  // namespace

bool Evaluation::condition(std::string_view name) {
  const Conditions& conditions = decided_ == nullptr ? conditions_ : *decided_;
  if (const auto known = conditions.find(name); known != conditions.end()) return known->second;
  const json::Value* value = stack_.conditions().find(name);
  if (value == nullptr) refuse_format(cat("Condition ", name, " is not defined."));
  const auto [mark, is_new] = deciding_.emplace(name);
  if (!is_new) refuse_format(cat("Circular dependency between conditions: [", name, "]"));
  const bool holds = decide(*value);
  deciding_.erase(mark);
  conditions_.emplace(name, holds);
  return holds;
}

bool Evaluation::decide(const json::Value& value) {
  if (++depth_ > kEvaluationDepthMax) {
    --depth_;
    refuse("functions and conditions are nested too deeply");
  }
  const auto call = as_condition_call(value);
  if (!call && place_ == Place::rule && value.is_boolean()) {
    --depth_;
    return value.boolean();
  }
  if (!call) refuse_format("Conditions can only be boolean operations on parameters and other conditions");
  const bool holds = decide_call(*call);
  --depth_;
  return holds;
}

bool Evaluation::decide_call(const Call& call) {
  if (call.name == kCondition) {
    if (!call.argument->is_string()) refuse_format("Every Condition member must be a string.");
    return condition(call.argument->string());
  }
  if (call.name == "Fn::Equals") return decide_equals(*call.argument);
  if (call.name == "Fn::And") {
    return std::ranges::count_if(operands_of(call), [&](const json::Value& each) { return !decide(each); }) == 0;
  }
  if (call.name == "Fn::Or") {
    return std::ranges::count_if(operands_of(call), [&](const json::Value& each) { return decide(each); }) != 0;
  }
  if (call.name == "Fn::Not") {
    if (!call.argument->is_array() || call.argument->array().size() != 1) {
      refuse("Fn::Not requires a list argument with one element");
    }
    return !decide(call.argument->array()[0]);
  }
  if (place_ == Place::rule) {
    if (call.name == "Fn::Contains") return decide_contains(*call.argument);
    if (call.name == "Fn::EachMemberEquals") return decide_each_member_equals(*call.argument);
    if (call.name == "Fn::EachMemberIn") return decide_each_member_in(*call.argument);
  }
  refuse_format("Conditions can only be boolean operations on parameters and other conditions");
}

bool Evaluation::decide_equals(const json::Value& argument) {
  const json::Array& operands = equals_arguments(argument);
  const auto a = text(operands[0]);
  const auto b = text(operands[1]);
  if (!a || !b) refuse_equals();
  return *a == *b;
}

}  // namespace tidemill::lang::templates
