// Parsing of conditions: from the syntax tree to the compact tree that is evaluated, with the checks that need the
// placeholders' values, in AWS's order.
#include "lang/dynamodb/condition.h"

#include <algorithm>
#include <array>

#include "lang/dynamodb/syntax.h"

namespace tidemill::lang::dynamodb {

using namespace detail;

namespace {

using Op = Condition::Op;
using Operand = Condition::Operand;

constexpr std::string_view kEveryType = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}";
constexpr std::string_view kTypeNames = "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}";

Op comparison_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::equal:
      return Op::equal;
    case TokenKind::not_equal:
      return Op::not_equal;
    case TokenKind::less:
      return Op::less;
    case TokenKind::less_equal:
      return Op::less_equal;
    case TokenKind::greater:
      return Op::greater;
    default:
      return Op::greater_equal;
  }
}

Op function_op(std::string_view name) {
  if (name == "attribute_exists") return Op::attribute_exists;
  if (name == "attribute_not_exists") return Op::attribute_not_exists;
  if (name == "attribute_type") return Op::attribute_type;
  if (name == "begins_with") return Op::begins_with;
  return Op::contains;
}

bool is_ordered(Type type) { return type == Type::S || type == Type::N || type == Type::B; }

// What is known of an operand's type without an item.
std::optional<Type> static_type(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::value:
      return ValueView(operand.value).type();
    case Operand::Kind::size_of_path:
    case Operand::Kind::size_of_value:
      return Type::N;
    case Operand::Kind::path:
      break;
  }
  return std::nullopt;
}

class ConditionBuilder {
 public:
  ConditionBuilder(const Syntax& syntax, Substitutions& substitutions)
      : syntax_(syntax), substitutions_(substitutions) {}

  Condition build() {
    (void)condition(syntax_.root);
    return std::move(result_);
  }

 private:
  uint32_t add(Op op, uint32_t first, uint32_t second) {
    result_.nodes.push_back({op, first, second});
    return static_cast<uint32_t>(result_.nodes.size() - 1);
  }

  uint32_t condition(uint32_t number) {
    const SyntaxNode& node = syntax_.node(number);
    switch (node.kind) {
      case NodeKind::all_of:
      case NodeKind::any_of: {
        const uint32_t left = condition(syntax_.child(number, 0));
        const uint32_t right = condition(syntax_.child(number, 1));
        return add(node.kind == NodeKind::all_of ? Op::all_of : Op::any_of, left, right);
      }
      case NodeKind::negate:
        return add(Op::negate, condition(syntax_.child(number, 0)), 0);
      default:
        break;
    }
    const auto first = static_cast<uint32_t>(result_.operands.size());
    for (uint32_t child = node.first_child; child != kNone; child = syntax_.node(child).next) {
      Operand parsed = operand(child);
      result_.operands.push_back(std::move(parsed));
    }
    const std::span<const Operand> operands = std::span(result_.operands).subspan(first);
    return add(check(number, operands), first, node.child_count);
  }

  Operand operand(uint32_t number) {
    const SyntaxNode& node = syntax_.node(number);
    if (node.kind == NodeKind::value) {
      return {Operand::Kind::value, {}, syntax_.resolve_value(number, substitutions_).encoded().data()};
    }
    if (node.kind == NodeKind::path) return {Operand::Kind::path, syntax_.resolve_path(number, substitutions_)};
    // The only function that is an operand. Placeholders are looked up before operands are counted, as on AWS.
    std::optional<Operand> first;
    for (uint32_t child = node.first_child; child != kNone; child = syntax_.node(child).next) {
      Operand each = operand(child);
      if (!first) first = std::move(each);
    }
    syntax_.check_arity(number);
    Operand inner = *std::move(first);
    const std::optional<Type> type = static_type(inner);
    if (type == Type::N || type == Type::BOOL || type == Type::NUL)
      syntax_.refuse_operand_type("size", type_name(*type));
    inner.kind = inner.kind == Operand::Kind::path ? Operand::Kind::size_of_path : Operand::Kind::size_of_value;
    return inner;
  }

  Op check(uint32_t number, std::span<const Operand> operands) {
    const std::string_view name = syntax_.name_of(number);
    switch (syntax_.node(number).kind) {
      case NodeKind::compare: {
        const Op op = comparison_op(syntax_.token_kind(syntax_.node(number).token));
        check_distinct(name, operands);
        if (op != Op::equal && op != Op::not_equal) check_ordered(name, operands);
        return op;
      }
      case NodeKind::between:
        check_distinct(name, operands);
        check_ordered(name, operands);
        check_bounds(operands[1], operands[2]);
        return Op::between;
      case NodeKind::in:
        if (operands.size() - 1 > kInOperandsMax) {
          syntax_.refuse("The IN operator is provided with too many operands; number of operands: " +
                         std::to_string(operands.size() - 1));
        }
        check_distinct(name, operands);
        return Op::in;
      default:
        syntax_.check_arity(number);
        return check_function(function_op(name), name, operands);
    }
  }

  Op check_function(Op op, std::string_view name, std::span<const Operand> operands) {
    const bool needs_path = op == Op::attribute_exists || op == Op::attribute_not_exists || op == Op::attribute_type;
    if (needs_path && operands[0].kind != Operand::Kind::path) {
      syntax_.refuse("Operator or function requires a document path; operator or function: " + std::string(name));
    }
    check_distinct(name, operands);
    if (op == Op::begins_with) {
      for (const Operand& operand : operands) {
        const std::optional<Type> type = static_type(operand);
        if (type && type != Type::S && type != Type::B) syntax_.refuse_operand_type(name, type_name(*type));
      }
    }
    if (op == Op::attribute_type) check_type_operand(name, operands[1]);
    return op;
  }

  void check_type_operand(std::string_view name, const Operand& operand) {
    const std::optional<Type> type = static_type(operand);
    if (operand.kind != Operand::Kind::value || type != Type::S) {
      syntax_.refuse_operand_type(name, type ? type_name(*type) : kEveryType);
    }
    const std::string_view wanted = ValueView(operand.value).string();
    if (!type_from_name(wanted)) {
      syntax_.refuse("Invalid attribute type name found; type: " + std::string(wanted) +
                     ", valid types: " + std::string(kTypeNames));
    }
  }

  void check_distinct(std::string_view name, std::span<const Operand> operands) {
    const Operand& first = operands[0];
    if (first.kind != Operand::Kind::path) return;
    for (const Operand& operand : operands.subspan(1)) {
      if (operand.kind != Operand::Kind::path || operand.path != first.path) continue;
      syntax_.refuse(
          "The first operand must be distinct from the remaining operands for this operator or function; operator: " +
          std::string(name) + ", first operand: " + first.path.to_string());
    }
  }

  void check_ordered(std::string_view name, std::span<const Operand> operands) {
    for (const Operand& operand : operands) {
      const std::optional<Type> type = static_type(operand);
      if (type && !is_ordered(*type)) syntax_.refuse_operand_type(name, type_name(*type));
    }
  }

  void check_bounds(const Operand& low, const Operand& high) {
    if (low.kind != Operand::Kind::value || high.kind != Operand::Kind::value) return;
    const ValueView lower(low.value);
    const ValueView upper(high.value);
    const bool same_type = lower.type() == upper.type();
    if (same_type && compare(lower, upper) <= 0) return;
    syntax_.refuse("The BETWEEN operator requires " +
                   std::string(same_type ? "upper bound to be greater than or equal to lower bound"
                                         : "same data type for lower and upper bounds") +
                   "; lower bound operand: AttributeValue: " + describe(lower) +
                   ", upper bound operand: AttributeValue: " + describe(upper));
  }

  const Syntax& syntax_;
  Substitutions& substitutions_;
  Condition result_;
};

}  // namespace

Condition parse_condition(std::string_view text, ExpressionKind kind, Substitutions& substitutions) {
  const Syntax syntax = Syntax::of_condition(text, kind);
  return ConditionBuilder(syntax, substitutions).build();
}

bool Condition::mentions(std::string_view attribute) const {
  return std::ranges::any_of(operands, [&](const Operand& operand) {
    return !operand.path.steps.empty() && operand.path.attribute() == attribute;
  });
}

}  // namespace tidemill::lang::dynamodb
