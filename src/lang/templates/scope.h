// A template with its parameters: conditions decided, functions evaluated. Evaluation takes two passes, so that whoever
// runs a stack can fetch in between:
//
//   const Scope scope(stack, {pseudo, parameters});           // decides all conditions
//   const Needs needs = scope.needs(properties);              // what of resources and exports is asked for
//   known.refs["Queue"] = "https://…"; known.attributes[{"Queue", "Arn"}] = "arn:…"; …
//   json::Value value = scope.evaluate(properties, known);    // no functions are left
//   for (const DynamicReference& each : dynamic_references(value)) …   // dynamic_reference.h
//
// All of it throws TemplateError in AWS's words. A Scope keeps references to the template: the template outlives it.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "lang/templates/parameters.h"
#include "lang/templates/template.h"

namespace tidemill::lang::templates {

// What a value that is known only after the deployment is in a change set.
inline constexpr std::string_view kKnownAfterApply = "{{changeSet:KNOWN_AFTER_APPLY}}";
// What a parameter with NoEcho is shown as.
inline constexpr std::string_view kHiddenValue = "****";

// What pseudo parameters give.
struct Pseudo {
  std::string account_id;
  std::string region;
  std::string partition = "aws";
  std::string url_suffix = "amazonaws.com";
  std::string stack_id;
  std::string stack_name;
  std::vector<std::string> notification_arns;
  // Of Fn::GetAZs: zones of `region` in their order. Another region's are named after it with the same letters.
  std::vector<std::string> zone_letters = {"a", "b", "c"};
};

struct Inputs {
  Pseudo pseudo;
  ParameterValues parameters;
};

using Attribute = std::pair<std::string, std::string>;  // logical id, name of the attribute

// An output of another stack, as Fn::GetStackOutput names it.
struct OutputOfStack {
  std::string stack;   // name or ARN
  std::string output;  // its key
  std::string region;  // empty: the stack's that asks
  std::string role;    // ARN; empty: what that stack acts as

  auto operator<=>(const OutputOfStack&) const = default;

  // Whether any of its names has the text: kKnownAfterApply, or kHiddenValue.
  [[nodiscard]] bool mentions(std::string_view text) const;
};

// That the stack has no such output, as AWS says it.
[[nodiscard]] std::string output_not_found(const OutputOfStack& name);

// What a value asks for before it can be evaluated; with conditions applied.
struct Needs {
  std::set<std::string, std::less<>> refs;  // logical ids of resources
  std::set<Attribute> attributes;
  std::set<std::string, std::less<>> imports;  // names of exports
  // Those that are named by resources are whole only once these are known: ask needs() again with them.
  std::set<OutputOfStack> outputs;

  // Nothing has to be made or looked up for it.
  [[nodiscard]] bool empty() const { return refs.empty() && attributes.empty() && imports.empty() && outputs.empty(); }
  // The logical ids of refs and attributes.
  [[nodiscard]] std::set<std::string, std::less<>> resources() const;
};

// Answers to Needs. What is missing is a defect of the caller, unless `partial`: then it is kKnownAfterApply, and so is
// what is made of it.
struct Known {
  std::map<std::string, json::Value, std::less<>> refs;
  std::map<Attribute, json::Value> attributes;
  std::map<std::string, json::Value, std::less<>> imports;
  std::map<OutputOfStack, json::Value> outputs;
  bool partial = false;
  bool hides_no_echo = false;  // parameters with NoEcho are kHiddenValue: for what is shown
};

class Scope {
 public:
  Scope(const Template& stack, Inputs inputs);

  [[nodiscard]] const Template& stack() const { return stack_; }
  [[nodiscard]] const Inputs& inputs() const { return inputs_; }

  // The value of a condition of the template. Throws for one that is not there.
  [[nodiscard]] bool condition(std::string_view name) const;
  // Whether its condition holds, or it has none.
  [[nodiscard]] bool is_active(const Resource& resource) const;
  [[nodiscard]] bool is_active(const Output& output) const;

  // Parameters (ParameterReference of change sets) and resources that a value depends on.
  [[nodiscard]] Needs needs(const json::Value& value) const;
  // The same, with what is known already; `known` is partial.
  [[nodiscard]] Needs needs(const json::Value& value, const Known& known) const;
  [[nodiscard]] std::set<std::string, std::less<>> parameters_used(const json::Value& value) const;

  // The value without functions; null in the place of AWS::NoValue at the top. Members and elements that are
  // AWS::NoValue are gone.
  [[nodiscard]] json::Value evaluate(const json::Value& value, const Known& known) const;

 private:
  const Template& stack_;
  Inputs inputs_;
  std::map<std::string, bool, std::less<>> conditions_;
};

// The template's Rules. Throws TemplateError with the descriptions of the assertions that do not hold.
void check_rules(const Template& stack, const Inputs& inputs);

}  // namespace tidemill::lang::templates
