// The expressions of a request, parsed together, as AWS checks them: before the table is looked up, each placeholder
// defined and used (facts 3.2 to 3.4).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/dynamodb/condition.h"
#include "lang/dynamodb/key_condition.h"
#include "lang/dynamodb/projection.h"
#include "lang/dynamodb/update.h"
#include "services/dynamodb/errors.h"

namespace tidemill::dynamodb {

// Parses the expressions of one request. All throw ValidationException. Refers to what it is given; what it parses
// refers to the values, so these must stay where they are.
class ExpressionParser {
 public:
  using Names = std::optional<std::map<std::string, std::string>>;
  using Text = std::optional<std::string>;

  // An expression that the request may have; those that can use values are named in AWS's complaint about values
  // without one.
  struct Parameter {
    std::string_view name;  // "ConditionExpression"
    const Text& text;
    bool takes_values = true;
  };

  ExpressionParser(MessageStyle style, const Names& names, const std::optional<Item>& values,
                   std::initializer_list<Parameter> parameters);

  [[nodiscard]] std::optional<lang::dynamodb::Condition> condition(const Text& text);
  [[nodiscard]] std::optional<lang::dynamodb::Condition> filter(const Text& text);
  [[nodiscard]] std::optional<lang::dynamodb::Projection> projection(const Text& text);
  [[nodiscard]] std::optional<lang::dynamodb::Update> update(const Text& text);
  [[nodiscard]] std::optional<lang::dynamodb::KeyConditionExpression> key_condition(const Text& text);

  // Once all are parsed: that every placeholder was used. What reads says so bare, unlike its other complaints.
  void finish() const { finish(style_); }
  void finish(MessageStyle style) const;

 private:
  MessageStyle style_;
  lang::dynamodb::Substitutions substitutions_;
};

// How many paths a condition looks up in an item. None: it has none.
[[nodiscard]] size_t paths_of(const std::optional<lang::dynamodb::Condition>& condition);

// How often, about, an item's bytes are gone through by what looks up so many paths in it, counting what is done anyway as
// one: a list's hundred thousand values are looked at by each contains().
[[nodiscard]] size_t passes_of(size_t paths);

// Runs `body` and turns an ExpressionError into a ValidationException.
template <class Body>
auto with_expression_errors(MessageStyle style, Body body) {
  try {
    return body();
  } catch (const lang::dynamodb::ExpressionError& error) {
    throw expression_error(style, error);
  }
}

}  // namespace tidemill::dynamodb
