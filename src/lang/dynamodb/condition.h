// ConditionExpression and FilterExpression.
//
//   const Condition condition = parse_condition(text, ExpressionKind::condition, substitutions);
//   if (!evaluate(condition, item)) …
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/dynamodb/expression.h"

namespace tidemill::lang::dynamodb {

// Compact syntax tree: nodes and operands refer to each other by number.
struct Condition {
  enum class Op : uint8_t {
    all_of,
    any_of,
    negate,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    between,
    in,
    attribute_exists,
    attribute_not_exists,
    attribute_type,
    begins_with,
    contains,
  };
  // all_of, any_of: nodes `first` and `second`; negate: node `first`; else: operands first … first + second - 1.
  struct Node {
    Op op;
    uint32_t first = 0;
    uint32_t second = 0;
  };
  struct Operand {
    enum class Kind : uint8_t { path, value, size_of_path, size_of_value };
    Kind kind;
    Path path;                    // path, size_of_path
    const char* value = nullptr;  // value, size_of_value: the encoded value, owned by the request
  };

  std::vector<Node> nodes;  // children before parents: the last one is the root
  std::vector<Operand> operands;

  // Whether some path begins with this attribute.
  [[nodiscard]] bool mentions(std::string_view attribute) const;
};

// Throws ExpressionError.
[[nodiscard]] Condition parse_condition(std::string_view text, ExpressionKind kind, Substitutions& substitutions);

// Total: what is missing or of another type makes a comparison false, and <> true. An item that does not exist is an
// empty one.
[[nodiscard]] bool evaluate(const Condition& condition, ItemView item);

}  // namespace tidemill::lang::dynamodb
