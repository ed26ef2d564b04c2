#include "services/dynamodb/expressions.h"

#include <algorithm>

namespace tidemill::dynamodb {

namespace {

namespace language = lang::dynamodb;

// To go past a value takes a fraction of what it takes to write it: what most expressions look up is not worth a count.
constexpr size_t kPathsPerPass = 4;

// "UpdateExpression and ConditionExpression are null"
std::string null_parameters(std::initializer_list<ExpressionParser::Parameter> parameters) {
  std::string text;
  int count = 0;
  for (const auto& parameter : parameters) {
    if (!parameter.takes_values) continue;
    if (count++ > 0) text.append(" and ");
    text.append(parameter.name);
  }
  return text + (count > 1 ? " are null" : " is null");
}

template <class Parse>
auto parse_optional(MessageStyle style, const ExpressionParser::Text& text, Parse parse)
    -> std::optional<decltype(parse(*text))> {
  if (!text) return std::nullopt;
  return with_expression_errors(style, [&] { return parse(*text); });
}

}  // namespace

ExpressionParser::ExpressionParser(MessageStyle style, const Names& names, const std::optional<Item>& values,
                                   std::initializer_list<Parameter> parameters)
    : style_(style) {
  bool any = false;
  bool any_with_values = false;
  for (const Parameter& parameter : parameters) {
    any |= parameter.text.has_value();
    any_with_values |= parameter.takes_values && parameter.text.has_value();
  }
  const bool is_written = style == MessageStyle::written;
  const MessageStyle unused = is_written ? style : MessageStyle::bare;
  if (names && !any) throw validation(unused, "ExpressionAttributeNames can only be specified when using expressions");
  if (values && !any_with_values) {
    const std::string message = "ExpressionAttributeValues can only be specified when using expressions";
    throw validation(unused, is_written ? message : message + ": " + null_parameters(parameters));
  }
  with_expression_errors(style, [&] {
    if (names) substitutions_.set_names(*names);
    if (values) substitutions_.set_values(*values);
  });
}

std::optional<language::Condition> ExpressionParser::condition(const Text& text) {
  return parse_optional(style_, text, [this](const std::string& expression) {
    return language::parse_condition(expression, language::ExpressionKind::condition, substitutions_);
  });
}

std::optional<language::Condition> ExpressionParser::filter(const Text& text) {
  return parse_optional(style_, text, [this](const std::string& expression) {
    return language::parse_condition(expression, language::ExpressionKind::filter, substitutions_);
  });
}

std::optional<language::Projection> ExpressionParser::projection(const Text& text) {
  return parse_optional(style_, text, [this](const std::string& expression) {
    return language::parse_projection(expression, substitutions_);
  });
}

std::optional<language::Update> ExpressionParser::update(const Text& text) {
  return parse_optional(style_, text, [this](const std::string& expression) {
    return language::parse_update(expression, substitutions_);
  });
}

std::optional<language::KeyConditionExpression> ExpressionParser::key_condition(const Text& text) {
  return parse_optional(style_, text, [this](const std::string& expression) {
    return language::parse_key_condition(expression, substitutions_);
  });
}

size_t paths_of(const std::optional<language::Condition>& condition) {
  if (!condition) return 0;
  return static_cast<size_t>(std::ranges::count_if(
      condition->operands, [](const language::Condition::Operand& operand) { return !operand.path.steps.empty(); }));
}

size_t passes_of(size_t paths) { return 1 + paths / kPathsPerPass; }

void ExpressionParser::finish(MessageStyle style) const {
  with_expression_errors(style, [this] { substitutions_.check_all_used(); });
}

}  // namespace tidemill::dynamodb
