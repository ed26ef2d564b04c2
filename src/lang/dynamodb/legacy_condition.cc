#include "lang/dynamodb/legacy_condition.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tidemill::lang::dynamodb {
namespace {

using Op = Condition::Op;

constexpr size_t kKeyConditionsMax = 8;  // of a global index; of others two, which is up to the caller
constexpr size_t kAnyNumber = SIZE_MAX;  // at least one

[[noreturn]] void refuse(const std::string& message) { throw ExpressionError(message, true); }

[[noreturn]] void refuse_parameter(const std::string& reason) {
  refuse("One or more parameter values were invalid: " + reason);
}

// What an operator takes for operands.
enum class Operands : uint8_t { any, scalars, texts, elements };

struct Operator {
  std::string_view name;
  Op op;
  size_t count;
  Operands operands;
  bool negated = false;
};

constexpr std::array kOperators{
    Operator{"EQ", Op::equal, 1, Operands::any},
    Operator{"NE", Op::not_equal, 1, Operands::any},
    Operator{"LE", Op::less_equal, 1, Operands::scalars},
    Operator{"LT", Op::less, 1, Operands::scalars},
    Operator{"GE", Op::greater_equal, 1, Operands::scalars},
    Operator{"GT", Op::greater, 1, Operands::scalars},
    Operator{"IN", Op::in, kAnyNumber, Operands::scalars},
    Operator{"BETWEEN", Op::between, 2, Operands::scalars},
    Operator{"NULL", Op::attribute_not_exists, 0, Operands::any},
    Operator{"NOT_NULL", Op::attribute_exists, 0, Operands::any},
    Operator{"CONTAINS", Op::contains, 1, Operands::elements},
    Operator{"NOT_CONTAINS", Op::contains, 1, Operands::elements, true},
    Operator{"BEGINS_WITH", Op::begins_with, 1, Operands::texts},
};

const Operator& find_operator(std::string_view name) {
  const auto found = std::ranges::find(kOperators, name, &Operator::name);
  if (found == kOperators.end()) refuse_parameter("Unknown ComparisonOperator " + std::string(name));
  return *found;
}

bool takes(Operands operands, Type type) {
  switch (operands) {
    case Operands::any:
      return true;
    case Operands::scalars:
      return type == Type::S || type == Type::N || type == Type::B;
    case Operands::texts:
      return type == Type::S || type == Type::B;
    case Operands::elements:  // of a set or list, or a part of text
      return type == Type::S || type == Type::N || type == Type::B || type == Type::BOOL || type == Type::NUL;
  }
  return false;
}

// In AWS's order: how many, of one type, of the right type, in order.
const Operator& check(std::string_view op, std::span<const ValueView> operands) {
  const Operator& wanted = find_operator(op);
  if (wanted.count == kAnyNumber ? operands.empty() : operands.size() != wanted.count) {
    refuse_parameter("Invalid number of argument(s) for the " + std::string(op) + " ComparisonOperator");
  }
  for (const ValueView operand : operands) {
    if (operand.type() == operands.front().type()) continue;
    refuse_parameter("AttributeValues inside AttributeValueList must be of same type");
  }
  if (!operands.empty() && !takes(wanted.operands, operands.front().type())) {
    refuse_parameter("ComparisonOperator " + std::string(op) + " is not valid for " +
                     std::string(type_name(operands.front().type())) + " AttributeValue type");
  }
  if (wanted.op == Op::between && compare(operands[0], operands[1]) > 0) {
    refuse("The BETWEEN condition was provided a range where the lower bound is greater than the upper bound");
  }
  return wanted;
}

class Builder {
 public:
  explicit Builder(Junction junction) : op_(junction == Junction::all_of ? Op::all_of : Op::any_of) {}

  void add(std::string_view attribute, const Operator& wanted, std::span<const ValueView> operands) {
    uint32_t root = leaf(wanted.op, attribute, operands);
    if (wanted.negated) {
      const uint32_t negated = node({Op::negate, root});
      root = node({Op::all_of, leaf(Op::attribute_exists, attribute, {}), negated});
    }
    roots_.push_back(root);
  }

  Condition finish() {
    (void)join(0, roots_.size());
    return std::move(result_);
  }

 private:
  uint32_t node(Condition::Node node) {
    result_.nodes.push_back(node);
    return static_cast<uint32_t>(result_.nodes.size() - 1);
  }

  uint32_t leaf(Op op, std::string_view attribute, std::span<const ValueView> operands) {
    const auto first = static_cast<uint32_t>(result_.operands.size());
    result_.operands.push_back({Condition::Operand::Kind::path, Path{{PathStep{std::string(attribute)}}}});
    for (const ValueView operand : operands) {
      result_.operands.push_back({Condition::Operand::Kind::value, {}, operand.encoded().data()});
    }
    return node({op, first, static_cast<uint32_t>(operands.size() + 1)});
  }

  // Balanced, because evaluation recurses and nothing limits how many conditions a request may have.
  uint32_t join(size_t begin, size_t end) {
    if (end - begin == 1) return roots_[begin];
    const size_t middle = begin + (end - begin) / 2;
    const uint32_t left = join(begin, middle);
    const uint32_t right = join(middle, end);
    return node({op_, left, right});
  }

  Op op_;
  std::vector<uint32_t> roots_;
  Condition result_;
};

// What Exists and Value say, or the comparison; the operands stay where they are.
void add_expectation(Builder& builder, const LegacyExpectation& expected) {
  const std::string attribute(expected.attribute);
  const auto value = expected.value ? std::span<const ValueView>(&*expected.value, 1) : std::span<const ValueView>();
  if (expected.operands && expected.value) {
    refuse_parameter("Value and AttributeValueList cannot be used together for Attribute: " + attribute);
  }
  if (expected.op) {
    if (expected.exists) {
      refuse_parameter("Exists and ComparisonOperator cannot be used together for Attribute: " + attribute);
    }
    if (!expected.operands && !expected.value && find_operator(*expected.op).count > 0) {
      refuse_parameter("Value or AttributeValueList must be used with ComparisonOperator: " +
                       std::string(*expected.op) + " for Attribute: " + attribute);
    }
    const auto operands = expected.operands ? std::span<const ValueView>(*expected.operands) : value;
    return builder.add(attribute, check(*expected.op, operands), operands);
  }
  if (expected.operands) {
    refuse_parameter("AttributeValueList can only be used with a ComparisonOperator for Attribute: " + attribute);
  }
  const bool exists = expected.exists.value_or(true);
  if (exists && !expected.value) {
    refuse_parameter("Value must be provided when Exists is " + std::string(expected.exists ? "true" : "null") +
                     " for Attribute: " + attribute);
  }
  if (!exists && expected.value) {
    refuse_parameter("Value cannot be used when Exists is false for Attribute: " + attribute);
  }
  builder.add(attribute, find_operator(exists ? "EQ" : "NULL"), value);
}

// Nothing for an operator that no index can serve.
std::optional<KeyConditionExpression::Op> key_op(Op op) {
  using KeyOp = KeyConditionExpression::Op;
  switch (op) {
    case Op::equal:
      return KeyOp::equal;
    case Op::less:
      return KeyOp::less;
    case Op::less_equal:
      return KeyOp::less_equal;
    case Op::greater:
      return KeyOp::greater;
    case Op::greater_equal:
      return KeyOp::greater_equal;
    case Op::between:
      return KeyOp::between;
    case Op::begins_with:
      return KeyOp::begins_with;
    default:
      return std::nullopt;
  }
}

}  // namespace

Condition legacy_condition(std::span<const LegacyComparison> comparisons, Junction junction) {
  Builder builder(junction);
  for (const LegacyComparison& comparison : comparisons) {
    builder.add(comparison.attribute, check(comparison.op, comparison.operands), comparison.operands);
  }
  return builder.finish();
}

Condition legacy_condition(std::span<const LegacyExpectation> expectations, Junction junction) {
  Builder builder(junction);
  for (const LegacyExpectation& expected : expectations) add_expectation(builder, expected);
  return builder.finish();
}

KeyConditionExpression legacy_key_condition(std::span<const LegacyComparison> comparisons) {
  KeyConditionExpression expression;
  for (const LegacyComparison& comparison : comparisons) {
    const auto op = key_op(check(comparison.op, comparison.operands).op);
    const bool any = !comparison.operands.empty();
    expression.terms.push_back({.attribute = std::string(comparison.attribute),
                                .op = op.value_or(KeyConditionExpression::Op::equal),
                                .low = any ? comparison.operands.front() : ValueView(nullptr),
                                .high = any ? comparison.operands.back() : ValueView(nullptr),
                                .indexable = op.has_value()});
  }
  if (expression.terms.empty() || expression.terms.size() > kKeyConditionsMax) {
    throw ExpressionError("Conditions can be of length 1 or 2 only");
  }
  return expression;
}

}  // namespace tidemill::lang::dynamodb
