#include "lang/dynamodb/key_condition.h"

#include <algorithm>

#include "lang/dynamodb/condition.h"

namespace tidemill::lang::dynamodb {
namespace {

using Op = KeyConditionExpression::Op;
using Term = KeyConditionExpression::Term;
using Operand = Condition::Operand;

constexpr size_t kKeyAttributesMax = 2;  // of most schemas

[[noreturn]] void refuse_operator(std::string_view name) {
  throw ExpressionError("Invalid operator used in KeyConditionExpression: " + std::string(name));
}

[[noreturn]] void refuse_condition(const std::string& message) {
  throw ExpressionError("Invalid KeyConditionExpression: Invalid condition in KeyConditionExpression: " + message);
}

// The operator with its sides exchanged: 5 < a is a > 5.
Op exchanged(Op op) {
  switch (op) {
    case Op::less:
      return Op::greater;
    case Op::less_equal:
      return Op::greater_equal;
    case Op::greater:
      return Op::less;
    case Op::greater_equal:
      return Op::less_equal;
    default:
      return op;
  }
}

Op key_op(Condition::Op op) {
  switch (op) {
    case Condition::Op::equal:
      return Op::equal;
    case Condition::Op::less:
      return Op::less;
    case Condition::Op::less_equal:
      return Op::less_equal;
    case Condition::Op::greater:
      return Op::greater;
    case Condition::Op::greater_equal:
      return Op::greater_equal;
    case Condition::Op::between:
      return Op::between;
    case Condition::Op::begins_with:
      return Op::begins_with;
    case Condition::Op::any_of:
      refuse_operator("OR");
    case Condition::Op::negate:
      refuse_operator("NOT");
    case Condition::Op::in:
      refuse_operator("IN");
    case Condition::Op::not_equal:
      refuse_operator("<>");
    case Condition::Op::attribute_exists:
      refuse_operator("attribute_exists");
    case Condition::Op::attribute_not_exists:
      refuse_operator("attribute_not_exists");
    case Condition::Op::attribute_type:
      refuse_operator("attribute_type");
    case Condition::Op::contains:
      refuse_operator("contains");
    case Condition::Op::all_of:
      break;
  }
  return Op::equal;
}

class TermCollector {
 public:
  explicit TermCollector(const Condition& condition) : condition_(condition) {}

  void node(uint32_t number) {
    const Condition::Node& node = condition_.nodes[number];
    if (node.op == Condition::Op::all_of) {
      this->node(node.first);
      this->node(node.second);
    } else {
      term(key_op(node.op), std::span(condition_.operands).subspan(node.first, node.second));
    }
  }

  KeyConditionExpression finish() {
    for (size_t i = 0; i < terms_.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (terms_[i].attribute == terms_[j].attribute) {
          throw ExpressionError(
              "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key");
        }
      }
    }
    return {std::move(terms_)};
  }

 private:
  void term(Op op, std::span<const Operand> operands) {
    const bool path_first = operands[0].kind == Operand::Kind::path;
    if (!path_first && (op == Op::between || op == Op::begins_with)) {
      refuse_condition(std::string(op == Op::between ? "BETWEEN" : "begins_with") +
                       " operator must have the key attribute as its first operand");
    }
    const Operand* attribute = nullptr;
    std::vector<ValueView> values;
    for (const Operand& operand : operands) {
      switch (operand.kind) {
        case Operand::Kind::size_of_path:
        case Operand::Kind::size_of_value:
          throw ExpressionError("KeyConditionExpressions cannot contain nested operations");
        case Operand::Kind::value:
          values.emplace_back(operand.value);
          break;
        case Operand::Kind::path:
          if (attribute != nullptr) refuse_condition("Multiple attribute names used in one condition");
          if (operand.path.steps.size() > 1) {
            throw ExpressionError(
                "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes");
          }
          attribute = &operand;
      }
    }
    if (attribute == nullptr) refuse_condition("No key attribute specified");
    terms_.push_back({attribute->path.attribute(), path_first ? op : exchanged(op), values.front(), values.back()});
  }

  const Condition& condition_;
  std::vector<Term> terms_;
};

void check_operand(ValueView value, std::string_view attribute, Type type) {
  if (value.type() != type) {
    throw ExpressionError(
        "One or more parameter values were invalid: Condition parameter type does not match schema type");
  }
  if (type != Type::N && value.string().empty()) {
    throw ExpressionError(
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty " +
        std::string(type == Type::S ? "string" : "binary") + " value. Key: " + std::string(attribute));
  }
}

const Term* find_term(const KeyConditionExpression& expression, std::string_view attribute) {
  const auto found = std::ranges::find(expression.terms, attribute, &Term::attribute);
  return found == expression.terms.end() ? nullptr : &*found;
}

void check_indexable(const Term& term) {
  if (!term.indexable) throw ExpressionError("Attempted conditional constraint is not an indexable operation");
}

[[noreturn]] void refuse_missing(std::string_view attribute) {
  throw ExpressionError("Query condition missed key schema element: " + std::string(attribute));
}

// Every partition attribute needs a condition.
std::vector<const Term*> partition_terms(const KeyConditionExpression& expression,
                                         const std::vector<KeySchema::Attribute>& partitions) {
  std::vector<const Term*> terms;
  for (const KeySchema::Attribute& attribute : partitions) {
    terms.push_back(find_term(expression, attribute.name));
    if (terms.back() == nullptr) refuse_missing(attribute.name);
  }
  return terms;
}

// The other `count` conditions are on the first sort attributes: none is left out.
std::vector<const Term*> sort_terms(const KeyConditionExpression& expression,
                                    const std::vector<KeySchema::Attribute>& sorts, size_t count) {
  std::vector<const Term*> terms;
  for (const KeySchema::Attribute& attribute : sorts) {
    if (terms.size() == count) break;
    terms.push_back(find_term(expression, attribute.name));
    if (terms.back() == nullptr) refuse_missing(attribute.name);
  }
  return terms;
}

}  // namespace

KeyConditionExpression parse_key_condition(std::string_view text, Substitutions& substitutions) {
  const Condition condition = parse_condition(text, ExpressionKind::key_condition, substitutions);
  TermCollector collector(condition);
  collector.node(static_cast<uint32_t>(condition.nodes.size() - 1));
  return collector.finish();
}

std::vector<KeySchema::Attribute> KeySchema::partitions() const {
  std::vector<Attribute> all{{partition_name, partition_type}};
  all.insert(all.end(), more_partitions.begin(), more_partitions.end());
  return all;
}

std::vector<KeySchema::Attribute> KeySchema::sorts() const {
  if (sort_name.empty()) return {};
  std::vector<Attribute> all{{sort_name, sort_type}};
  all.insert(all.end(), more_sorts.begin(), more_sorts.end());
  return all;
}

KeyCondition resolve(const KeyConditionExpression& expression, const KeySchema& schema) {
  const std::vector<KeySchema::Attribute> partitions = schema.partitions();
  const std::vector<KeySchema::Attribute> sorts = schema.sorts();
  const size_t count = expression.terms.size();
  if (count > std::max(kKeyAttributesMax, partitions.size() + sorts.size())) {
    throw ExpressionError("The number of query conditions (" + std::to_string(count) +
                          ") exceeds the number of key attributes defined in the schema (" +
                          std::to_string(partitions.size() + sorts.size()) + ")");
  }
  const std::vector<const Term*> equal = partition_terms(expression, partitions);
  if (count > equal.size() && sorts.empty()) throw ExpressionError("Query key condition not supported");
  const std::vector<const Term*> ordered = sort_terms(expression, sorts, count - equal.size());
  for (const Term* term : equal) check_indexable(*term);
  for (const Term* term : ordered) check_indexable(*term);
  for (const Term* term : equal) {
    if (term->op != Op::equal) throw ExpressionError("Query key condition not supported");
  }
  for (size_t i = 0; i + 1 < ordered.size(); ++i) {
    if (ordered[i]->op != Op::equal) throw ExpressionError("Query key condition not supported");
  }
  for (size_t i = 0; i < equal.size(); ++i) check_operand(equal[i]->low, equal[i]->attribute, partitions[i].type);
  KeyCondition condition{equal[0]->low, std::nullopt};
  for (size_t i = 1; i < equal.size(); ++i) condition.more_partitions.push_back(equal[i]->low);
  for (size_t i = 0; i < ordered.size(); ++i) {
    const Term& term = *ordered[i];
    check_operand(term.low, term.attribute, sorts[i].type);
    check_operand(term.high, term.attribute, sorts[i].type);
    if (i + 1 < ordered.size())
      condition.sorts_before.push_back(term.low);
    else
      condition.sort = KeyCondition::Sort{term.op, term.low, term.high};
  }
  return condition;
}

bool matches(const KeyCondition::Sort& condition, ValueView sort_key) {
  const std::partial_ordering order = compare(sort_key, condition.low);
  switch (condition.op) {
    case Op::equal:
      return order == 0;
    case Op::less:
      return order < 0;
    case Op::less_equal:
      return order <= 0;
    case Op::greater:
      return order > 0;
    case Op::greater_equal:
      return order >= 0;
    case Op::between:
      return order >= 0 && compare(sort_key, condition.high) <= 0;
    case Op::begins_with:
      break;
  }
  return sort_key.type() == condition.low.type() && sort_key.type() != Type::N &&
         sort_key.string().starts_with(condition.low.string());
}

}  // namespace tidemill::lang::dynamodb
