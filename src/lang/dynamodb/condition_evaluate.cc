#include <cstring>

#include "base/find.h"
#include "lang/dynamodb/condition.h"

namespace tidemill::lang::dynamodb {
namespace {

using Op = Condition::Op;
using Operand = Condition::Operand;

// Code units of the text in UTF-16: what size() counts, as Java does.
int64_t utf16_length(std::string_view utf8) {
  int64_t length = 0;
  for (const char c : utf8) {
    const auto byte = static_cast<uint8_t>(c);
    if ((byte & 0xc0) != 0x80) length += byte >= 0xf0 ? 2 : 1;
  }
  return length;
}

std::optional<int64_t> size_of(ValueView value) {
  switch (value.type()) {
    case Type::S:
      return utf16_length(value.string());
    case Type::B:
      return static_cast<int64_t>(value.string().size());
    case Type::N:
    case Type::BOOL:
    case Type::NUL:
      return std::nullopt;
    default:
      return static_cast<int64_t>(value.count());
  }
}

bool contains(ValueView container, ValueView wanted) {
  const Type type = wanted.type();
  switch (container.type()) {
    case Type::S:
    case Type::B:
      return type == container.type() && base::find(container.string(), wanted.string()) != std::string_view::npos;
    case Type::SS:
      return type == Type::S && container.set_contains(wanted.string());
    case Type::BS:
      return type == Type::B && container.set_contains(wanted.string());
    case Type::NS:
      return type == Type::N && container.set_contains(wanted.number_encoded());
    case Type::L:
      for (const ValueView element : container.elements()) {
        if (element == wanted) return true;
      }
      return false;
    default:
      return false;
  }
}

bool begins_with(ValueView value, ValueView prefix) {
  const Type type = value.type();
  return type == prefix.type() && (type == Type::S || type == Type::B) && value.string().starts_with(prefix.string());
}

// An operand's value; a size is put into `storage`.
struct Evaluated {
  std::optional<ValueView> value;
  char storage[2 + Decimal::kEncodedSizeMax];

  Evaluated(const Operand& operand, ItemView item) {
    const bool of_path = operand.kind == Operand::Kind::path || operand.kind == Operand::Kind::size_of_path;
    value = of_path ? resolve(operand.path, item) : ValueView(operand.value);
    if (operand.kind == Operand::Kind::path || operand.kind == Operand::Kind::value || !value) return;
    const std::optional<int64_t> size = size_of(*value);
    value.reset();
    if (!size) return;
    const Decimal number(*size);
    storage[0] = detail::kNumber;
    storage[1] = static_cast<char>(number.encoded().size());
    std::memcpy(storage + 2, number.encoded().data(), number.encoded().size());
    value.emplace(storage);
  }
  Evaluated(const Evaluated&) = delete;
};

class Evaluation {
 public:
  Evaluation(const Condition& condition, ItemView item) : condition_(condition), item_(item) {}

  bool node(uint32_t number) const {
    const Condition::Node& node = condition_.nodes[number];
    switch (node.op) {
      case Op::all_of:
        return this->node(node.first) && this->node(node.second);
      case Op::any_of:
        return this->node(node.first) || this->node(node.second);
      case Op::negate:
        return !this->node(node.first);
      default:
        return leaf(node);
    }
  }

 private:
  const Operand& operand(const Condition::Node& node, uint32_t index) const {
    return condition_.operands[node.first + index];
  }

  bool leaf(const Condition::Node& node) const {
    const Evaluated first(operand(node, 0), item_);
    if (node.op == Op::attribute_exists) return first.value.has_value();
    if (node.op == Op::attribute_not_exists) return !first.value;
    if (!first.value) return node.op == Op::not_equal;
    if (node.op == Op::in) return in(node, *first.value);
    const Evaluated second(operand(node, 1), item_);
    if (!second.value) return node.op == Op::not_equal;
    const ValueView a = *first.value;
    const ValueView b = *second.value;
    switch (node.op) {
      case Op::equal:
        return a == b;
      case Op::not_equal:
        return !(a == b);
      case Op::less:
        return compare(a, b) < 0;
      case Op::less_equal:
        return compare(a, b) <= 0;
      case Op::greater:
        return compare(a, b) > 0;
      case Op::greater_equal:
        return compare(a, b) >= 0;
      case Op::between: {
        const Evaluated third(operand(node, 2), item_);
        return third.value && compare(b, a) <= 0 && compare(a, *third.value) <= 0;
      }
      case Op::attribute_type:
        return type_name(a.type()) == b.string();
      case Op::begins_with:
        return begins_with(a, b);
      default:
        return contains(a, b);
    }
  }

  bool in(const Condition::Node& node, ValueView value) const {
    for (uint32_t i = 1; i < node.second; ++i) {
      const Evaluated candidate(operand(node, i), item_);
      if (candidate.value && *candidate.value == value) return true;
    }
    return false;
  }

  const Condition& condition_;
  ItemView item_;
};

}  // namespace

bool evaluate(const Condition& condition, ItemView item) {
  return Evaluation(condition, item).node(static_cast<uint32_t>(condition.nodes.size() - 1));
}

}  // namespace tidemill::lang::dynamodb
