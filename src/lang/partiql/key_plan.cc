#include "lang/partiql/key_plan.h"

#include <algorithm>
#include <string>

#include "lang/partiql/statement.h"

namespace tidemill::lang::partiql {

namespace {

using dynamodb::Condition;
using dynamodb::KeyCondition;
using dynamodb::KeySchema;
using dynamodb::ValueView;
using Op = Condition::Op;
using Operand = Condition::Operand;

std::optional<KeyCondition::Op> key_op(Op op, bool exchanged) {
  switch (op) {
    case Op::equal:
      return KeyCondition::Op::equal;
    case Op::less:
      return exchanged ? KeyCondition::Op::greater : KeyCondition::Op::less;
    case Op::less_equal:
      return exchanged ? KeyCondition::Op::greater_equal : KeyCondition::Op::less_equal;
    case Op::greater:
      return exchanged ? KeyCondition::Op::less : KeyCondition::Op::greater;
    case Op::greater_equal:
      return exchanged ? KeyCondition::Op::less_equal : KeyCondition::Op::greater_equal;
    case Op::between:
      return KeyCondition::Op::between;
    case Op::begins_with:
      return KeyCondition::Op::begins_with;
    default:
      return std::nullopt;
  }
}

class Planner {
 public:
  Planner(const Condition& where, const KeySchema& schema) : where_(where), schema_(schema) {}

  KeyPlan run() {
    conjuncts(static_cast<uint32_t>(where_.nodes.size() - 1));
    // The partition key first: without it the sort key is one attribute among others.
    take_first([this](uint32_t node) { return take_partition(node); });
    if (!plan_.partitions.empty() && !schema_.sort_name.empty()) {
      take_first([this](uint32_t node) { return take_sort(node); });
    }
    keep_rest();
    return std::move(plan_);
  }

 private:
  void conjuncts(uint32_t number) {
    const Condition::Node& node = where_.nodes[number];
    if (node.op != Op::all_of) return rest_.push_back(number);
    conjuncts(node.first);
    conjuncts(node.second);
  }

  template <class Take>
  void take_first(Take take) {
    const auto found = std::ranges::find_if(rest_, take);
    if (found != rest_.end()) rest_.erase(found);
  }

  [[nodiscard]] std::span<const Operand> operands(const Condition::Node& node) const {
    return std::span(where_.operands).subspan(node.first, node.second);
  }

  static bool is_attribute(const Operand& operand, std::string_view name) {
    return operand.kind == Operand::Kind::path && operand.path.steps.size() == 1 && operand.path.attribute() == name;
  }
  static bool is_leaf(Op op) { return op != Op::all_of && op != Op::any_of && op != Op::negate; }

  static ValueView key_value(const Operand& operand, std::string_view name, dynamodb::Type type) {
    const ValueView value(operand.value);
    if (value.type() == type) return value;
    throw StatementError("Key attribute's data type should match its data type in table's schema: Key " +
                         std::string(name));
  }

  bool take_partition(uint32_t number) {
    const Condition::Node& node = where_.nodes[number];
    if (node.op != Op::equal && node.op != Op::in) return false;
    auto sides = operands(node);
    const Operand* attribute = &sides[0];
    std::span<const Operand> candidates = sides.subspan(1);
    if (node.op == Op::equal && sides[0].kind == Operand::Kind::value) {
      attribute = &sides[1];
      candidates = sides.subspan(0, 1);
    }
    const auto is_value = [](const Operand& operand) { return operand.kind == Operand::Kind::value; };
    if (!is_attribute(*attribute, schema_.partition_name) || !std::ranges::all_of(candidates, is_value)) return false;
    for (const Operand& candidate : candidates) {
      const ValueView value = key_value(candidate, schema_.partition_name, schema_.partition_type);
      if (std::ranges::find(plan_.partitions, value) == plan_.partitions.end()) plan_.partitions.push_back(value);
    }
    return true;
  }

  bool take_sort(uint32_t number) {
    const Condition::Node& node = where_.nodes[number];
    if (!is_leaf(node.op)) return false;
    const auto sides = operands(node);
    const bool exchanged = sides[0].kind == Operand::Kind::value && sides.size() == 2 && node.op != Op::begins_with;
    const auto op = key_op(node.op, exchanged);
    if (!op || !is_attribute(sides[exchanged ? 1 : 0], schema_.sort_name)) return false;
    const auto values = exchanged ? sides.subspan(0, 1) : sides.subspan(1);
    if (!std::ranges::all_of(values, [](const Operand& side) { return side.kind == Operand::Kind::value; }))
      return false;
    if (*op == KeyCondition::Op::begins_with && schema_.sort_type == dynamodb::Type::N) return false;
    plan_.sort = KeyCondition::Sort{*op, key_value(values.front(), schema_.sort_name, schema_.sort_type),
                                    key_value(values.back(), schema_.sort_name, schema_.sort_type)};
    return true;
  }

  void keep_rest() {
    if (rest_.empty()) return;
    Condition& rest = plan_.rest.emplace();
    std::optional<uint32_t> root;
    for (const uint32_t number : rest_) {
      const uint32_t copied = copy(number, rest);
      root = root ? add(rest, {Op::all_of, *root, copied}) : copied;
    }
  }

  static uint32_t add(Condition& condition, Condition::Node node) {
    condition.nodes.push_back(node);
    return static_cast<uint32_t>(condition.nodes.size() - 1);
  }

  uint32_t copy(uint32_t number, Condition& to) const {
    Condition::Node node = where_.nodes[number];
    if (is_leaf(node.op)) {
      const auto sides = operands(node);
      node.first = static_cast<uint32_t>(to.operands.size());
      to.operands.insert(to.operands.end(), sides.begin(), sides.end());
      return add(to, node);
    }
    node.first = copy(node.first, to);
    if (node.op != Op::negate) node.second = copy(node.second, to);
    return add(to, node);
  }

  const Condition& where_;
  const KeySchema& schema_;
  std::vector<uint32_t> rest_;  // conjuncts that have not been taken
  KeyPlan plan_;
};

}  // namespace

KeyPlan plan_keys(const std::optional<Condition>& where, const KeySchema& schema) {
  if (!where) return {};
  return Planner(*where, schema).run();
}

}  // namespace tidemill::lang::partiql
