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

bool is_leaf(Op op) { return op != Op::all_of && op != Op::any_of && op != Op::negate; }

bool same(const KeyCondition::Sort& a, const KeyCondition::Sort& b) {
  return a.op == b.op && a.low == b.low && a.high == b.high;
}

// Adds a range to others, so that no item is in two of them: those that overlap become the whole partition, of which the
// filter chooses.
void add_range(KeyPlan& plan, KeyRange range) {
  bool whole = !range.sort;
  for (const KeyRange& other : plan.ranges) {
    if (other.partition != range.partition) continue;
    if (whole || !other.sort) {
      whole = true;
      continue;
    }
    if (same(*other.sort, *range.sort)) return;
    if (lies_before(*other.sort, *range.sort) || lies_before(*range.sort, *other.sort)) continue;
    plan.overlapping |= other.exact && range.exact;
    whole = true;
  }
  if (whole) {
    std::erase_if(plan.ranges, [&](const KeyRange& other) { return other.partition == range.partition; });
    range.sort.reset();
  }
  plan.ranges.push_back(std::move(range));
}

class Planner {
 public:
  Planner(const Condition& where, const KeySchema& schema) : where_(where), schema_(schema) {}

  KeyPlan run() {
    look_at(static_cast<uint32_t>(where_.nodes.size() - 1));
    keep_rest();
    return std::move(plan_);
  }

 private:
  // What node `number` says of the keys; what else it says remains in rest_.
  void look_at(uint32_t number) {
    conjuncts(number);
    // The partition key first: without it the sort key is one attribute among others.
    take_first([this](uint32_t node) { return take_partition(node); });
    if (!plan_.ranges.empty() && !schema_.sort_name.empty()) {
      take_first([this](uint32_t node) { return take_sort(node); });
    }
    // Alternatives are left to the filter as well: the ranges say only where to look.
    if (plan_.ranges.empty()) (void)std::ranges::any_of(rest_, [this](uint32_t node) { return take_alternatives(node); });
  }

  void conjuncts(uint32_t number) {
    const Condition::Node& node = where_.nodes[number];
    if (node.op != Op::all_of) return rest_.push_back(number);
    conjuncts(node.first);
    conjuncts(node.second);
  }

  // False, and nothing is taken, if one of the alternatives may be anywhere.
  bool take_alternatives(uint32_t number) {
    if (where_.nodes[number].op != Op::any_of) return false;
    KeyPlan together{.alternatives = true};
    if (!add_alternatives(number, together)) return false;
    plan_ = std::move(together);
    return true;
  }

  bool add_alternatives(uint32_t number, KeyPlan& to) {
    const Condition::Node& node = where_.nodes[number];
    if (node.op == Op::any_of) return add_alternatives(node.first, to) && add_alternatives(node.second, to);
    Planner one(where_, schema_);
    one.look_at(number);
    to.overlapping |= one.plan_.overlapping;
    for (KeyRange& range : one.plan_.ranges) {
      range.exact = !std::ranges::any_of(one.rest_, [this](uint32_t rest) { return mentions_sort(rest); });
      add_range(to, std::move(range));
    }
    return !one.plan_.ranges.empty();
  }

  [[nodiscard]] bool mentions_sort(uint32_t number) const {
    const Condition::Node& node = where_.nodes[number];
    if (!is_leaf(node.op)) {
      return mentions_sort(node.first) || (node.op != Op::negate && mentions_sort(node.second));
    }
    return std::ranges::any_of(operands(node),
                               [this](const Operand& operand) { return is_attribute(operand, schema_.sort_name); });
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
      add_range(plan_, {key_value(candidate, schema_.partition_name, schema_.partition_type), std::nullopt});
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
    const KeyCondition::Sort sort{*op, key_value(values.front(), schema_.sort_name, schema_.sort_type),
                                  key_value(values.back(), schema_.sort_name, schema_.sort_type)};
    for (KeyRange& range : plan_.ranges) range.sort = sort;
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

// The least and the greatest of a range, if it has one, and whether they belong to it.
struct Bound {
  std::optional<ValueView> value;
  bool inclusive = true;
};

Bound lower_bound(const KeyCondition::Sort& sort) {
  using KeyOp = KeyCondition::Op;
  if (sort.op == KeyOp::less || sort.op == KeyOp::less_equal) return {};
  return {sort.low, sort.op != KeyOp::greater};
}

Bound upper_bound(const KeyCondition::Sort& sort) {
  using KeyOp = KeyCondition::Op;
  if (sort.op == KeyOp::greater || sort.op == KeyOp::greater_equal) return {};
  return {sort.op == KeyOp::between ? sort.high : sort.low, sort.op != KeyOp::less};
}

}  // namespace

bool lies_before(const KeyCondition::Sort& a, const KeyCondition::Sort& b) {
  const Bound end = upper_bound(a);
  const Bound begin = lower_bound(b);
  if (!end.value || !begin.value) return false;
  const auto order = compare(*end.value, *begin.value);
  if (order == 0) return a.op != KeyCondition::Op::begins_with && !(end.inclusive && begin.inclusive);
  if (a.op == KeyCondition::Op::begins_with && begin.value->string().starts_with(end.value->string())) return false;
  return order < 0;
}

KeyPlan plan_keys(const std::optional<Condition>& where, const KeySchema& schema) {
  if (!where) return {};
  return Planner(*where, schema).run();
}

}  // namespace tidemill::lang::partiql
