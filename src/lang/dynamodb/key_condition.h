// KeyConditionExpression. Parsing needs no table, so that syntax errors come before a missing table; resolve() then
// binds the conditions to a key schema.
//
//   const KeyConditionExpression expression = parse_key_condition(text, substitutions);
//   const KeyCondition condition = resolve(expression, {"pk", Type::S, "sk", Type::N});
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/dynamodb/expression.h"

namespace tidemill::lang::dynamodb {

struct KeyConditionExpression {
  enum class Op : uint8_t { equal, less, less_equal, greater, greater_equal, between, begins_with };
  struct Term {
    std::string attribute;
    Op op;
    ValueView low;   // the operand; of between, the lower bound
    ValueView high;  // of between, the upper bound; else the same as low
    bool indexable = true;  // false: an operator of KeyConditions that finds no range of keys; it has no operands then
  };
  std::vector<Term> terms;  // at least one; resolve() refuses more than the schema has attributes
};

// The key attributes of a table or an index.
struct KeySchema {
  std::string_view partition_name;
  Type partition_type = Type::S;
  std::string_view sort_name = {};  // empty: there is no sort key
  Type sort_type = Type::S;
};

struct KeyCondition {
  using Op = KeyConditionExpression::Op;
  struct Sort {
    Op op;
    ValueView low;
    ValueView high;  // of between
  };
  ValueView partition;
  std::optional<Sort> sort;
};

// Both throw ExpressionError. Values are of the schema's types and not empty; that keys are not too long is up to the
// caller.
[[nodiscard]] KeyConditionExpression parse_key_condition(std::string_view text, Substitutions& substitutions);
[[nodiscard]] KeyCondition resolve(const KeyConditionExpression& expression, const KeySchema& schema);

// Whether a sort key's value satisfies the condition.
[[nodiscard]] bool matches(const KeyCondition::Sort& condition, ValueView sort_key);

}  // namespace tidemill::lang::dynamodb
