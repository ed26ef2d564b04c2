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

// The key attributes of a table or an index. A global index may have several of both kinds: the others follow the first
// in their order.
struct KeySchema {
  struct Attribute {
    std::string_view name;
    Type type = Type::S;
  };
  std::string_view partition_name;
  Type partition_type = Type::S;
  std::string_view sort_name = {};  // empty: there is no sort key
  Type sort_type = Type::S;
  std::vector<Attribute> more_partitions = {};
  std::vector<Attribute> more_sorts = {};

  // All of a kind, the first among them.
  [[nodiscard]] std::vector<Attribute> partitions() const;
  [[nodiscard]] std::vector<Attribute> sorts() const;
};

struct KeyCondition {
  using Op = KeyConditionExpression::Op;
  struct Sort {
    Op op;
    ValueView low;
    ValueView high;  // of between
  };
  ValueView partition;
  std::optional<Sort> sort;  // of the last sort attribute that has a condition
  std::vector<ValueView> more_partitions = {};
  std::vector<ValueView> sorts_before = {};  // of the sort attributes before that: they are equal to these
};

// Both throw ExpressionError. Values are of the schema's types and not empty; that keys are not too long is up to the
// caller.
[[nodiscard]] KeyConditionExpression parse_key_condition(std::string_view text, Substitutions& substitutions);
[[nodiscard]] KeyCondition resolve(const KeyConditionExpression& expression, const KeySchema& schema);

// Whether a sort key's value satisfies the condition.
[[nodiscard]] bool matches(const KeyCondition::Sort& condition, ValueView sort_key);

}  // namespace tidemill::lang::dynamodb
