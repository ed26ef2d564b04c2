// Filters: whether an element of an array is taken.
#include <re2/re2.h>

#include <algorithm>

#include "lang/jsonpath/step.h"

namespace tidemill::lang::jsonpath {

namespace {

class Condition {
 public:
  Condition(const json::Value& element, const json::Value& root, Budget& budget)
      : element_(element), root_(root), budget_(budget) {}

  [[nodiscard]] bool holds(const Filter& filter) const {
    budget_.visit();
    switch (filter.op) {
      case Filter::Op::both:
        return std::ranges::all_of(filter.parts, [&](const Filter& part) { return holds(part); });
      case Filter::Op::either:
        return std::ranges::any_of(filter.parts, [&](const Filter& part) { return holds(part); });
      case Filter::Op::negation:
        return !holds(filter.parts.front());
      case Filter::Op::exists:
        return exists(*filter.left);
      case Filter::Op::matches: {
        const Selection left = value_of(*filter.left);
        if (!left.found() || !left.value().is_string()) return false;
        budget_.visit(left.value().string().size() / kBytesPerNode);
        return re2::RE2::FullMatch(left.value().string(), *filter.pattern);
      }
      default:
        return compare(filter.op, value_of(*filter.left), value_of(*filter.right));
    }
  }

 private:
  [[nodiscard]] Selection value_of(const Operand& operand) const {
    if (operand.literal) return {.node = &*operand.literal};
    return select_path(operand);
  }

  [[nodiscard]] Selection select_path(const Operand& operand) const {
    const json::Value& from = operand.is_relative ? element_ : root_;
    if (operand.is_definite) return {.node = find(operand.steps, from, budget_)};
    return select(operand.steps, false, from, root_, budget_);
  }

  [[nodiscard]] bool exists(const Operand& operand) const {
    const Selection found = select_path(operand);
    if (!found.found()) return false;
    return operand.is_definite || !found.value().is_array() || !found.value().array().empty();
  }

  // At most so many nodes are looked at to tell whether they are equal.
  [[nodiscard]] static size_t cost_of(const json::Value& a, const json::Value& b) {
    const bool may_be_equal = a.kind() == b.kind() && size_of(a) == size_of(b);
    return may_be_equal ? weight_of(a) : 1;
  }

  [[nodiscard]] bool equal(const json::Value& a, const json::Value& b) const {
    budget_.visit(cost_of(a, b));
    return json::equal(a, b);
  }

  [[nodiscard]] bool contains(const json::Value& list, const json::Value& value) const {
    if (!list.is_array()) return equal(list, value);
    return std::ranges::any_of(list.array(), [&](const json::Value& each) { return equal(each, value); });
  }

  // Of two numbers or two strings; else nothing.
  [[nodiscard]] std::optional<int> order(const json::Value& a, const json::Value& b) const {
    if (a.is_string() && b.is_string()) {
      budget_.visit(std::min(a.string().size(), b.string().size()) / kBytesPerNode);
      return a.string().compare(b.string());
    }
    const auto left = a.to_double();
    const auto right = b.to_double();
    if (!left || !right) return std::nullopt;
    return *left < *right ? -1 : *left > *right ? 1 : 0;
  }

  [[nodiscard]] static size_t size_of(const json::Value& value) {
    if (value.is_array()) return value.array().size();
    if (value.is_object()) return value.object().size();
    return value.is_string() ? value.string().size() : 0;
  }

  [[nodiscard]] bool compare(Filter::Op op, const Selection& left, const Selection& right) const {
    if (op == Filter::Op::equal || op == Filter::Op::unequal) {
      const bool are_equal =
          left.found() && right.found() ? equal(left.value(), right.value()) : left.found() == right.found();
      return are_equal == (op == Filter::Op::equal);
    }
    if (!left.found() || !right.found()) return op == Filter::Op::nin || op == Filter::Op::none_of;
    const json::Value& a = left.value();
    const json::Value& b = right.value();
    const std::optional<int> order_of = order(a, b);
    switch (op) {
      case Filter::Op::less:
        return order_of && *order_of < 0;
      case Filter::Op::less_equal:
        return order_of && *order_of <= 0;
      case Filter::Op::greater:
        return order_of && *order_of > 0;
      case Filter::Op::greater_equal:
        return order_of && *order_of >= 0;
      case Filter::Op::in:
        return contains(b, a);
      case Filter::Op::nin:
        return !contains(b, a);
      case Filter::Op::subset_of:
        return a.is_array() &&
               std::ranges::all_of(a.array(), [&](const json::Value& each) { return contains(b, each); });
      case Filter::Op::any_of:
        return a.is_array() &&
               std::ranges::any_of(a.array(), [&](const json::Value& each) { return contains(b, each); });
      case Filter::Op::none_of:
        return a.is_array() &&
               std::ranges::none_of(a.array(), [&](const json::Value& each) { return contains(b, each); });
      case Filter::Op::size:
        return b.to_int64() == static_cast<int64_t>(size_of(a));
      case Filter::Op::empty:
        return b.is_boolean() && b.boolean() == (size_of(a) == 0);
      default:
        return false;
    }
  }

  const json::Value& element_;
  const json::Value& root_;
  Budget& budget_;
};

}  // namespace

bool accepts(const Filter& filter, const json::Value& element, const json::Value& root, Budget& budget) {
  return Condition(element, root, budget).holds(filter);
}

}  // namespace tidemill::lang::jsonpath
