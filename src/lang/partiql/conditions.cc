// WHERE: to the compact tree that lang/dynamodb evaluates, with the checks that need no table and no item.
#include <algorithm>
#include <array>

#include "lang/partiql/compile.h"

namespace tidemill::lang::partiql::detail {

namespace {

using dynamodb::Condition;
using dynamodb::Type;
using dynamodb::ValueView;
using Op = Condition::Op;
using Operand = Condition::Operand;

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

bool is_ordered(Type type) { return type == Type::S || type == Type::N || type == Type::B; }

Op comparison_op(std::string_view text) {
  if (text == "=") return Op::equal;
  if (text == "<") return Op::less;
  if (text == "<=") return Op::less_equal;
  if (text == ">") return Op::greater;
  if (text == ">=") return Op::greater_equal;
  return Op::not_equal;
}

struct Function {
  std::string_view name;
  Op op;
  size_t operands;
};
constexpr std::array<Function, 5> kFunctions = {{{"attribute_exists", Op::attribute_exists, 1},
                                                 {"attribute_not_exists", Op::attribute_not_exists, 1},
                                                 {"attribute_type", Op::attribute_type, 2},
                                                 {"begins_with", Op::begins_with, 2},
                                                 {"contains", Op::contains, 2}}};

const Function* find_function(std::string_view name) {
  const auto* const found = std::ranges::find(kFunctions, name, &Function::name);
  return found == kFunctions.end() ? nullptr : found;
}

// DynamoDB's type for what stands behind IS; nothing for one that DynamoDB does not have.
std::optional<std::string_view> is_type(std::string_view name) {
  if (name == "NULL") return "NULL";
  if (name == "BOOL" || name == "BOOLEAN") return "BOOL";
  if (name == "BLOB") return "B";
  if (name == "STRING") return "S";
  if (name == "NUMERIC") return "N";
  if (name == "STRUCT" || name == "TUPLE") return "M";
  if (name == "LIST") return "L";
  return std::nullopt;
}

class Builder {
 public:
  Builder(const Syntax& syntax, Values& values) : syntax_(syntax), values_(values) {}

  Condition build() {
    if (!is_condition(*syntax_.where)) {
      throw StatementError("WHERE clause must contain an expression that resolves to a boolean");
    }
    (void)condition(*syntax_.where);
    return std::move(result_);
  }

 private:
  [[nodiscard]] const Node& node(uint32_t number) const { return syntax_.nodes[number]; }

  uint32_t add(Op op, uint32_t first, uint32_t second) {
    result_.nodes.push_back({op, first, second});
    return static_cast<uint32_t>(result_.nodes.size() - 1);
  }

  uint32_t leaf(Op op, std::vector<Operand> operands) {
    const auto first = static_cast<uint32_t>(result_.operands.size());
    const auto count = static_cast<uint32_t>(operands.size());
    std::ranges::move(operands, std::back_inserter(result_.operands));
    return add(op, first, count);
  }

  [[nodiscard]] bool is_condition(uint32_t number) const {
    switch (node(number).kind) {
      case NodeKind::compare:
      case NodeKind::between:
      case NodeKind::in:
      case NodeKind::is:
      case NodeKind::like:
      case NodeKind::all_of:
      case NodeKind::any_of:
      case NodeKind::negate:
        return true;
      case NodeKind::call:
        return node(number).text != "size";
      default:
        return false;
    }
  }

  uint32_t condition(uint32_t number) {
    const Node& at = node(number);
    switch (at.kind) {
      case NodeKind::all_of:
      case NodeKind::any_of: {
        for (const uint32_t child : at.children) {
          if (!is_condition(child)) throw StatementError("The arguments to AND/OR must be Expressions");
        }
        const uint32_t left = condition(at.children[0]);
        const uint32_t right = condition(at.children[1]);
        return add(at.kind == NodeKind::all_of ? Op::all_of : Op::any_of, left, right);
      }
      case NodeKind::negate:
        if (!is_condition(at.children[0])) throw StatementError("The argument to NOT must be a Type or Expression");
        return add(Op::negate, condition(at.children[0]), 0);
      case NodeKind::compare:
        return comparison(at);
      case NodeKind::between:
        return between(at);
      case NodeKind::in:
        return in(at);
      case NodeKind::is:
        return is(at);
      case NodeKind::call:
        return function(number);
      default:
        throw StatementError("Unsupported operation: Like");
    }
  }

  uint32_t comparison(const Node& at) {
    const Op op = comparison_op(at.text);
    if ((op == Op::equal || op == Op::not_equal) && is_condition(at.children[0]) &&
        node(at.children[1]).kind == NodeKind::boolean) {
      // attribute_exists(a) = true
      const uint32_t inner = condition(at.children[0]);
      const bool wanted = (node(at.children[1]).text == "TRUE") == (op == Op::equal);
      return wanted ? inner : add(Op::negate, inner, 0);
    }
    std::vector<Operand> operands = this->operands(at);
    check_distinct(at.text, operands);
    if (op != Op::equal && op != Op::not_equal) check_ordered(at.text, operands);
    return leaf(op, std::move(operands));
  }

  uint32_t between(const Node& at) {
    std::vector<Operand> operands = this->operands(at);
    check_distinct(at.text, operands);
    check_ordered(at.text, operands);
    check_bounds(operands[1], operands[2]);
    return leaf(Op::between, std::move(operands));
  }

  uint32_t in(const Node& at) {
    if (node(at.children[0]).kind != NodeKind::path || at.children.size() < 2) {
      throw StatementError(
          "IN operator must have a left hand argument of type Variable Reference and right hand argument of type Seq "
          "with at least one member");
    }
    const size_t candidates = at.children.size() - 1;
    if (candidates > static_cast<size_t>(dynamodb::kInOperandsMax)) {
      throw StatementError("The IN operator is provided with too many operands; number of operands: " +
                           std::to_string(candidates));
    }
    std::vector<Operand> operands = this->operands(at);
    check_distinct(at.text, operands);
    return leaf(Op::in, std::move(operands));
  }

  uint32_t is(const Node& at) {
    const NodeKind tested = node(at.children[0]).kind;
    if (tested != NodeKind::path) {
      throw StatementError("The left hand side argument to IS must be a Variable Reference, Literal, or Path");
    }
    std::vector<Operand> operands;
    operands.push_back(operand(at.children[0]));
    if (at.text == "MISSING") return leaf(Op::attribute_not_exists, std::move(operands));
    const auto type = is_type(at.text);
    if (!type) {
      throw StatementError("Unsupported data type for IS operator: " + at.text +
                           ". Supported data types are [MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, "
                           "LIST]");
    }
    operands.push_back({Operand::Kind::value, {}, values_.keep(dynamodb::Value::string(*type)).encoded().data()});
    return leaf(Op::attribute_type, std::move(operands));
  }

  uint32_t function(uint32_t number) {
    const Node& at = node(number);
    const Function* const function = find_function(at.text);
    if (function == nullptr) throw StatementError("Unrecognized function: " + at.text + syntax_.at(number));
    if (at.children.size() != function->operands) refuse_operand_count(at.text, at.children.size());
    std::vector<Operand> operands = this->operands(at);
    const Op op = function->op;
    const bool needs_path = op == Op::attribute_exists || op == Op::attribute_not_exists || op == Op::attribute_type;
    if (needs_path && operands[0].kind != Operand::Kind::path) {
      throw StatementError("Operator or function requires a document path; operator or function: " + at.text);
    }
    check_distinct(at.text, operands);
    if (op == Op::begins_with) {
      for (const Operand& operand : operands) {
        const std::optional<Type> type = static_type(operand);
        if (type && *type != Type::S && *type != Type::B) refuse_operand_type(at.text, type_name(*type));
      }
    }
    if (op == Op::attribute_type) check_type_operand(at.text, operands[1]);
    return leaf(op, std::move(operands));
  }

  [[nodiscard]] std::vector<Operand> operands(const Node& at) {
    std::vector<Operand> operands;
    for (const uint32_t child : at.children) operands.push_back(operand(child));
    return operands;
  }

  Operand operand(uint32_t number) {
    const Node& at = node(number);
    if (at.kind == NodeKind::path) return {Operand::Kind::path, dynamodb::Path{at.steps}};
    if (at.kind == NodeKind::missing) throw StatementError("MISSING must be compared using IS operator");
    if (at.kind == NodeKind::plus || at.kind == NodeKind::minus || at.kind == NodeKind::other) {
      throw StatementError("Unsupported operator in Condition Expression. Operator: " + at.text);
    }
    if (at.kind == NodeKind::call) return size(number);
    if (is_condition(number)) throw StatementError("Unsupported token in expression: " + at.text);
    return {Operand::Kind::value, {}, values_.value(number).encoded().data()};
  }

  // The only function that is an operand.
  Operand size(uint32_t number) {
    const Node& at = node(number);
    if (at.text != "size") throw StatementError("Unrecognized function: " + at.text + syntax_.at(number));
    if (at.children.size() != 1) refuse_operand_count(at.text, at.children.size());
    Operand inner = operand(at.children[0]);
    const std::optional<Type> type = static_type(inner);
    if (type == Type::N || type == Type::BOOL || type == Type::NUL) refuse_operand_type("size", type_name(*type));
    inner.kind = inner.kind == Operand::Kind::path ? Operand::Kind::size_of_path : Operand::Kind::size_of_value;
    return inner;
  }

  static void check_distinct(std::string_view name, std::span<const Operand> operands) {
    const Operand& first = operands[0];
    if (first.kind != Operand::Kind::path) return;
    for (const Operand& operand : operands.subspan(1)) {
      if (operand.kind != Operand::Kind::path || operand.path != first.path) continue;
      throw StatementError(
          "The first operand must be distinct from the remaining operands for this operator or function; operator: " +
          std::string(name) + ", first operand: " + first.path.to_string());
    }
  }

  static void check_ordered(std::string_view name, std::span<const Operand> operands) {
    for (const Operand& operand : operands) {
      const std::optional<Type> type = static_type(operand);
      if (type && !is_ordered(*type)) refuse_operand_type(name, type_name(*type));
    }
  }

  static void check_bounds(const Operand& low, const Operand& high) {
    if (low.kind != Operand::Kind::value || high.kind != Operand::Kind::value) return;
    const ValueView lower(low.value);
    const ValueView upper(high.value);
    const bool same_type = lower.type() == upper.type();
    if (same_type && compare(lower, upper) <= 0) return;
    throw StatementError("The BETWEEN operator requires " +
                         std::string(same_type ? "upper bound to be greater than or equal to lower bound"
                                               : "same data type for lower and upper bounds") +
                         "; lower bound operand: AttributeValue: " + describe(lower) +
                         ", upper bound operand: AttributeValue: " + describe(upper));
  }

  static void check_type_operand(std::string_view name, const Operand& operand) {
    const std::optional<Type> type = static_type(operand);
    if (operand.kind != Operand::Kind::value || type != Type::S) {
      refuse_operand_type(name, type ? type_name(*type) : "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}");
    }
    const std::string_view wanted = ValueView(operand.value).string();
    if (dynamodb::type_from_name(wanted)) return;
    throw StatementError("Invalid attribute type name found; type: " + std::string(wanted) +
                         ", valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}");
  }

  const Syntax& syntax_;
  Values& values_;
  Condition result_;
};

}  // namespace

Condition compile_condition(const Syntax& syntax, Values& values) { return Builder(syntax, values).build(); }

void refuse_operand_type(std::string_view name, std::string_view type) {
  throw StatementError("Incorrect operand type for operator or function; operator or function: " + std::string(name) +
                       ", operand type: " + std::string(type));
}

void refuse_operand_count(std::string_view name, size_t count) {
  throw StatementError("Incorrect number of operands for operator or function; operator or function: " +
                       std::string(name) + ", number of operands: " + std::to_string(count));
}

}  // namespace tidemill::lang::partiql::detail
