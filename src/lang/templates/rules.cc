// The Rules section, and the functions that only it has.
#include <algorithm>

#include "base/text.h"
#include "lang/templates/contains.h"
#include "lang/templates/evaluation.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

std::vector<std::string> texts_of(const json::Array& values) {
  std::vector<std::string> texts;
  for (const json::Value& value : values) texts.push_back(value.string());
  return texts;
}

}  // namespace

void check_rules(const Template& stack, const Inputs& inputs) {
  static const Known kNothing;
  Evaluation evaluation(stack, inputs, kNothing, Evaluation::Place::rule);
  std::string failures;
  for (const Rule& rule : stack.rules()) {
    if (!rule.condition.is_null() && !evaluation.decide(rule.condition)) continue;
    for (const Rule::Assertion& assertion : rule.assertions) {
      if (evaluation.decide(assertion.assert)) continue;
      if (!failures.empty()) failures.append("; ");
      failures.append(assertion.description.empty() ? cat("Rule ", rule.name, " failed") : assertion.description);
    }
  }
  if (!failures.empty()) throw TemplateError(failures);
}

// A list of strings, or one string, which counts as a list of it.
json::Array Evaluation::strings_for_rule(const json::Value& value, std::string_view function) {
  Result result = evaluate(value);
  json::Array strings;
  const auto add = [&](const json::Value& element) {
    auto text = as_text(element);
    if (!text) refuse(cat("every ", function, " object requires lists of strings."));
    strings.emplace_back(std::move(*text));
  };
  if (result && result->is_array()) {
    for (const json::Value& element : result->array()) add(element);
  } else if (result) {
    add(*result);
  }
  return strings;
}

bool Evaluation::decide_contains(const json::Value& argument) {
  if (!argument.is_array() || argument.array().size() != 2 || !argument.array()[0].is_array()) {
    refuse("every Fn::Contains object requires a list of strings and a string.");
  }
  const auto list = texts_of(strings_for_rule(argument.array()[0], "Fn::Contains"));
  const auto wanted = text(argument.array()[1]);
  if (!wanted) refuse("every Fn::Contains object requires a list of strings and a string.");
  return contains(list, *wanted);
}

bool Evaluation::decide_each_member_equals(const json::Value& argument) {
  if (!argument.is_array() || argument.array().size() != 2) {
    refuse("every Fn::EachMemberEquals object requires a list of strings and a string.");
  }
  const auto list = texts_of(strings_for_rule(argument.array()[0], "Fn::EachMemberEquals"));
  const auto wanted = text(argument.array()[1]);
  if (!wanted) refuse("every Fn::EachMemberEquals object requires a list of strings and a string.");
  return std::ranges::all_of(list, [&](const std::string& each) { return each == *wanted; });
}

bool Evaluation::decide_each_member_in(const json::Value& argument) {
  if (!argument.is_array() || argument.array().size() != 2) {
    refuse("every Fn::EachMemberIn object requires two lists of strings.");
  }
  const auto list = texts_of(strings_for_rule(argument.array()[0], "Fn::EachMemberIn"));
  const auto allowed = texts_of(strings_for_rule(argument.array()[1], "Fn::EachMemberIn"));
  const std::set<std::string> among(allowed.begin(), allowed.end());
  return std::ranges::all_of(list, [&](const std::string& each) { return among.contains(each); });
}

// The values of all parameters of a type, one list.
json::Value Evaluation::ref_all(const json::Value& argument) {
  if (!argument.is_string()) refuse("every Fn::RefAll object requires the name of a parameter type.");
  json::Array all;
  for (const Parameter& parameter : stack_.parameters()) {
    const auto found = inputs_.parameters.find(parameter.name);
    if (parameter.type != argument.string() || found == inputs_.parameters.end()) continue;
    json::Value value = parameter_as_value(parameter, found->second);
    charge(value);
    if (value.is_array()) {
      std::ranges::move(value.array(), std::back_inserter(all));
    } else {
      all.push_back(std::move(value));
    }
  }
  return all;
}

}  // namespace tidemill::lang::templates
