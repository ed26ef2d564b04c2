// The conditions of the API before it had expressions: Expected, KeyConditions, QueryFilter and ScanFilter (developer
// guide, "Legacy conditional parameters"). They become the conditions that expressions become, so that there is one
// evaluator.
//
//   const std::vector<LegacyComparison> filter{{"age", "GT", {value}}};
//   const Condition condition = legacy_condition(filter, Junction::all_of);
//
// Everything here throws ExpressionError, and refers to the values it is given, not to the names.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lang/dynamodb/condition.h"
#include "lang/dynamodb/key_condition.h"

namespace tidemill::lang::dynamodb {

// ConditionalOperator.
enum class Junction : uint8_t { all_of, any_of };

// An attribute, compared with the operands of AttributeValueList.
struct LegacyComparison {
  std::string_view attribute;
  std::string_view op;  // EQ NE LE LT GE GT IN BETWEEN NULL NOT_NULL CONTAINS NOT_CONTAINS BEGINS_WITH; no other
  std::vector<ValueView> operands;
};

// An entry of Expected: either `exists` and `value`, or a comparison with `op`.
struct LegacyExpectation {
  std::string_view attribute;
  std::optional<ValueView> value;
  std::optional<bool> exists;
  std::optional<std::string_view> op;
  std::optional<std::vector<ValueView>> operands;
};

// Neither list may be empty. What is missing or of another type makes a comparison false, but NE and NULL true;
// NOT_CONTAINS is false, too, where the attribute is missing.
[[nodiscard]] Condition legacy_condition(std::span<const LegacyComparison> comparisons, Junction junction);
[[nodiscard]] Condition legacy_condition(std::span<const LegacyExpectation> expectations, Junction junction);

// KeyConditions: one or two comparisons, which resolve() binds to a key schema.
[[nodiscard]] KeyConditionExpression legacy_key_condition(std::span<const LegacyComparison> comparisons);

}  // namespace tidemill::lang::dynamodb
