// Inside: one evaluation of a value, a condition or a rule. It says what it asked for on the way (Needs), so that what
// needs() tells is what evaluate() asks.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/json.h"
#include "lang/templates/functions.h"
#include "lang/templates/scope.h"

namespace tidemill::lang::templates {

// What functions may make of one value, bytes of text; and how deep conditions, lists and functions may nest.
inline constexpr size_t kEvaluatedBytesMax = 4'000'000;
inline constexpr int kEvaluationDepthMax = 400;

class Evaluation {
 public:
  // A value, or nothing: AWS::NoValue.
  using Result = std::optional<json::Value>;

  // What may stand where it is evaluated.
  enum class Place { value, condition, rule };

  using Conditions = std::map<std::string, bool, std::less<>>;

  // All outlive this. Decides the conditions of the template as they are asked for.
  Evaluation(const Template& stack, const Inputs& inputs, const Known& known, Place place)
      : stack_(stack), inputs_(inputs), known_(known), place_(place) {}
  // Of a value, with the conditions decided.
  Evaluation(const Template& stack, const Inputs& inputs, const Known& known, const Conditions& decided)
      : stack_(stack), inputs_(inputs), known_(known), place_(Place::value), decided_(&decided) {}

  Result evaluate(const json::Value& value);

  // A condition's or an assertion's value: Fn::And, Fn::Or, Fn::Not, Fn::Equals, Condition and, in rules, theirs.
  bool decide(const json::Value& value);
  // A condition of the template by its name.
  bool condition(std::string_view name);

  [[nodiscard]] const Conditions& conditions() const { return conditions_; }
  [[nodiscard]] const Needs& needs() const { return needs_; }
  [[nodiscard]] const std::set<std::string, std::less<>>& parameters() const { return parameters_; }

 private:
  Result call(const Call& call);
  Result ref(const json::Value& argument);
  Result ref_by_name(std::string_view name);
  std::optional<json::Value> pseudo(std::string_view name) const;
  Result attribute(const json::Value& argument);
  json::Value attribute_of(std::string_view resource, std::string_view name);
  Result import(const json::Value& argument);
  Result stack_output(const json::Value& argument);
  Result choose(const json::Value& argument);

  json::Value sub(const json::Value& argument);
  std::string sub_variable(std::string_view name, const json::Object& own);
  json::Value join(const json::Value& argument);
  json::Value split(const json::Value& argument);
  json::Value base64(const json::Value& argument);
  Result select(const json::Value& argument);
  json::Value find_in_map(const json::Value& argument);
  json::Value zones(const json::Value& argument);
  json::Value cidr(const json::Value& argument);

  bool decide_call(const Call& call);
  bool decide_equals(const json::Value& argument);
  bool decide_contains(const json::Value& argument);
  bool decide_each_member_equals(const json::Value& argument);
  bool decide_each_member_in(const json::Value& argument);
  json::Value ref_all(const json::Value& argument);
  json::Array strings_for_rule(const json::Value& value, std::string_view function);

  // The value as a text; nothing if it is none.
  std::optional<std::string> text(const json::Value& value);
  [[nodiscard]] bool is_unknown(const json::Value& value) const;
  // Whether it has, for what is shown, kHiddenValue in the place of a text that functions would look up or take apart.
  [[nodiscard]] bool is_hidden(const json::Value& value) const;
  // What functions are of such a value; nothing: it is known, and shown.
  [[nodiscard]] Result not_to_be_told(const json::Value& value) const;
  // Counts text against kEvaluatedBytesMax.
  void charge(size_t bytes);
  void charge(const json::Value& value);

  const Template& stack_;
  const Inputs& inputs_;
  const Known& known_;
  const Place place_;
  const Conditions* decided_ = nullptr;          // all of them; or null
  Conditions conditions_;                        // so far
  std::set<std::string, std::less<>> deciding_;  // conditions on the way to the one that is asked for
  Needs needs_;
  std::set<std::string, std::less<>> parameters_;
  size_t bytes_ = 0;
  int depth_ = 0;
};

}  // namespace tidemill::lang::templates
