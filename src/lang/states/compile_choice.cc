// Choice rules.
#include <algorithm>

#include "base/text.h"
#include "lang/states/compile.h"
#include "lang/states/timestamp.h"

namespace tidemill::lang::states {

namespace {

constexpr int kRuleDepthMax = 100;

std::unique_ptr<const jsonpath::Path> reference(const Fields& fields, std::string_view name) {
  const std::string* const text = fields.string(name);
  if (!text) return nullptr;
  try {
    auto path = std::make_unique<const jsonpath::Path>(jsonpath::Path::parse(*text));
    if (path->root() == jsonpath::Path::Root::variable) fields.report().reads(path->variable());
    return path;
  } catch (const jsonpath::PathError& error) {
    fields.refuse(name, base::cat("Value is not a Reference Path: ",
                                  text->starts_with('$') ? error.what() : "Reference path didn't start with '$'"));
    return nullptr;
  }
}

// A literal must be of the operator's kind.
void read_literal(Rule& rule, const Fields& fields, std::string_view name) {
  rule.literal = *fields.get(name);
  switch (rule.kind) {
    case Rule::Kind::string:
      (void)fields.string(name);
      return;
    case Rule::Kind::number:
      if (!rule.literal.is_number()) fields.refuse(name, "Expected value of type Number");
      return;
    case Rule::Kind::boolean:
      (void)fields.boolean(name);
      return;
    case Rule::Kind::timestamp:
      if (const std::string* const text = fields.string(name)) {
        rule.time = parse_timestamp(*text);
        if (!rule.time) fields.refuse(name, "String does not match RFC3339 timestamp");
      }
      return;
  }
}

void read_comparison(Rule& rule, const Fields& fields) {
  if (fields.has("Variable")) rule.variable = reference(fields, "Variable");
  std::vector<std::string_view> operators;
  for (const auto& [name, value] : fields.source()) {
    if (find_operator(name))
      operators.push_back(name);
    else if (name != "Variable" && name != "Next" && name != "Comment" && name != "Assign") {
      fields.refuse(base::cat("Field '", name, "' is not supported"));
    }
  }
  if (operators.size() != 1) {
    fields.refuse(base::cat(operators.empty() ? "This object should have only one of the following fields: "
                                              : "There should only be one of the following fields: ",
                            listed(operators)));
    return;
  }
  const std::string_view name = operators.front();
  const Operator found = *find_operator(name);
  rule.type = found.type;
  rule.kind = found.kind;
  rule.relation = found.relation;
  if (found.is_path) {
    rule.comparand = reference(fields, name);
  } else if (rule.type == Rule::Type::compare) {
    read_literal(rule, fields, name);
  } else if (rule.type == Rule::Type::matches) {
    if (const std::string* const pattern = fields.string(name)) rule.pattern.emplace(*pattern);
  } else if (const auto expected = fields.boolean(name)) {
    rule.literal = *expected;
  }
}

Rule read_rule(const Fields& fields, bool is_top, int depth) {
  Rule rule;
  if (!is_top && fields.has("Next")) fields.refuse("Field 'Next' is not supported");
  if (!is_top && fields.has("Assign")) fields.refuse("Field 'Assign' is not supported");
  constexpr std::string_view kSelectors[] = {"And", "Or", "Not", "Variable", "Condition"};
  const auto selectors = std::ranges::count_if(kSelectors, [&](std::string_view name) { return fields.has(name); });
  if (selectors != 1) {
    fields.refuse("The object must have only one of the following fields, [And, Or, Not, Variable, Condition]");
    return rule;
  }
  if (depth > kRuleDepthMax) {
    fields.refuse("The rule nests too deep");
    return rule;
  }
  if (fields.has("Variable")) {
    read_comparison(rule, fields);
    return rule;
  }
  static constexpr std::string_view kAllowed[] = {"And", "Or", "Not", "Condition", "Next", "Comment", "Assign"};
  fields.allow({kAllowed});
  if (fields.has("Not")) {
    rule.type = Rule::Type::negation;
    const json::Object* const part = fields.object("Not");
    if (part)
      rule.parts.push_back(read_rule(Fields(*part, fields.place().member("Not"), fields.report()), false, depth + 1));
    return rule;
  }
  const std::string_view name = fields.has("And") ? "And" : "Or";
  rule.type = fields.has("And") ? Rule::Type::both : Rule::Type::either;
  const json::Array* const parts = fields.array(name);
  if (parts && parts->empty()) fields.refuse(name, "Value cannot be empty");
  for (size_t i = 0; parts && i < parts->size(); ++i) {
    const Place place = fields.place().member(name).element(i);
    if (!(*parts)[i].is_object())
      fields.report().schema("Expected value of type Object", place.location);
    else
      rule.parts.push_back(read_rule(Fields((*parts)[i].object(), place, fields.report()), false, depth + 1));
  }
  return rule;
}

// "Condition": a boolean, or an expression that gives one.
void read_condition(Choice& choice, const Fields& fields) {
  static constexpr std::string_view kAllowed[] = {"Condition", "Next", "Comment", "Assign", "Output"};
  for (const auto& [name, value] : fields.source()) {
    if (std::ranges::find(kAllowed, name) != std::end(kAllowed)) continue;
    const bool is_jsonpath =
        name == "Variable" || name == "And" || name == "Or" || name == "Not" || find_operator(name);
    fields.refuse(is_jsonpath ? base::cat("The QueryLanguage is set to 'JSONata', but field '", name,
                                          "' is only supported for the 'JSONPath' QueryLanguage")
                              : base::cat("Field '", name, "' is not supported"));
  }
  const json::Value* const condition = fields.get("Condition");
  if (!condition) return fields.require({"Condition"});
  if (condition->is_boolean()) {
    choice.constant_condition = condition->boolean();
    return;
  }
  Scalar scalar = fields.scalar("Condition");
  if (!scalar.query && !(condition->is_string() && condition->string().starts_with("{%"))) {
    fields.refuse("Condition", "JSONata string must start with {% and end with %}");
  }
  choice.condition = std::move(scalar.query);
}

}  // namespace

Rule compile_rule(const Fields& fields, bool is_top) { return read_rule(fields, is_top, 0); }

void Compiler::compile_choices(Program& program, const Fields& fields) {
  fields.require({"Choices"});
  if (const std::string* const next = fields.string("Default")) program.default_next = *next;
  const json::Array* const choices = fields.array("Choices");
  if (!choices) return;
  if (choices->empty()) fields.refuse("Choices", "Value cannot be empty");
  for (size_t i = 0; i < choices->size(); ++i) {
    const Place place = fields.place().member("Choices").element(i);
    if (!(*choices)[i].is_object()) {
      report_.schema("Expected value of type Object", place.location);
      continue;
    }
    const Fields source((*choices)[i].object(), place, report_);
    Choice choice;
    source.require({"Next"});
    if (const std::string* const next = source.string("Next")) choice.next = *next;
    if (source.is_jsonata()) {
      read_condition(choice, source);
      choice.output = source.payload("Output");
    } else if (source.has("Condition")) {
      source.refuse(
          "The QueryLanguage is set to 'JSONPath', but field 'Condition' is only supported for the 'JSONata' "
          "QueryLanguage");
    } else {
      choice.rule = compile_rule(source, true);
    }
    choice.assign = source.assign();
    program.choices.push_back(std::move(choice));
  }
}

}  // namespace tidemill::lang::states
