// Running updates: right-hand sides are evaluated against the old item, then the new item is written in one pass over
// the old one and the tree of updated paths.
#include <algorithm>
#include <deque>

#include "lang/dynamodb/encoding.h"
#include "lang/dynamodb/json_codec.h"
#include "lang/dynamodb/update.h"

namespace tidemill::lang::dynamodb {

using namespace detail;

namespace {

using Section = Update::Section;
using Operand = Update::Operand;
using Nodes = std::vector<PathTree::Node>;

// What an update may take while it runs; far more than what may be stored.
constexpr size_t kUpdateSizeMax = 8 * kItemSizeMax;

[[noreturn]] void refuse_type() {
  throw ExpressionError("An operand in the update expression has an incorrect data type");
}

[[noreturn]] void refuse_path() {
  throw ExpressionError("The document path provided in the update expression is invalid for update");
}

Decimal checked(std::expected<Decimal, base::DecimalError> number) {
  if (!number) throw ExpressionError(base::decimal_error_message(number.error(), {}));
  return *number;
}

// The values of right-hand sides; those that are computed live as long as this.
class Operands {
 public:
  Operands(const Update& update, ItemView old) : update_(update), old_(old) {}

  ValueView value(uint32_t number) {
    const Operand& operand = update_.operands[number];
    switch (operand.kind) {
      case Operand::Kind::value:
        return ValueView(operand.value);
      case Operand::Kind::path: {
        const std::optional<ValueView> found = resolve(update_.operand_paths[operand.first], old_);
        if (!found)
          throw ExpressionError("The provided expression refers to an attribute that does not exist in the item");
        return *found;
      }
      case Operand::Kind::if_not_exists: {
        const uint32_t path = update_.operands[operand.first].first;
        const std::optional<ValueView> found = resolve(update_.operand_paths[path], old_);
        return found ? *found : value(operand.second);
      }
      case Operand::Kind::list_append:
        return appended(value(operand.first), value(operand.second));
      case Operand::Kind::plus:
      case Operand::Kind::minus:
        break;
    }
    const Decimal first = number_of(operand.first);
    const Decimal second = number_of(operand.second);
    return keep(Value::number(checked(operand.kind == Operand::Kind::plus ? first.plus(second) : first.minus(second))));
  }

  ValueView keep(Value value) {
    spend(value.encoded().size());
    return kept_.emplace_back(std::move(value)).view();
  }

  ValueView appended(ValueView first, ValueView second) {
    if (first.type() != Type::L || second.type() != Type::L) refuse_type();
    std::string bytes;
    spend(first.contents().size() + second.contents().size());
    const size_t place = open_container(bytes, kList);
    bytes.append(first.contents());
    bytes.append(second.contents());
    close_container(bytes, place);
    return kept_.emplace_back(Value::from_encoded(std::move(bytes))).view();
  }

  // An expression can name one large value many times.
  void spend(size_t bytes) {
    spent_ += bytes;
    if (spent_ > kUpdateSizeMax) throw ExpressionError("Item size to update has exceeded the maximum allowed size");
  }

 private:
  Decimal number_of(uint32_t number) {
    const ValueView operand = value(number);
    if (operand.type() != Type::N) refuse_type();
    return operand.number();
  }

  const Update& update_;
  ItemView old_;
  std::deque<Value> kept_;
  size_t spent_ = 0;
};

Tag set_tag(Type type) { return type == Type::SS ? kStringSet : type == Type::NS ? kNumberSet : kBinarySet; }

// The union of two sets, or what of the first is not in the second: both are sorted, so they are merged. Nothing if
// that is empty.
std::optional<Value> merged(ValueView first, ValueView second, bool unite) {
  std::string bytes;
  const size_t place = open_container(bytes, set_tag(first.type()));
  const SetRange a = first.set_elements();
  const SetRange b = second.set_elements();
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() || (unite && right != b.end())) {
    const bool take_right = left == a.end() || (right != b.end() && *right < *left);
    if (take_right) {
      if (unite) append_sized(bytes, *right);
      ++right;
      continue;
    }
    const bool in_both = right != b.end() && *right == *left;
    if (unite || !in_both) append_sized(bytes, *left);
    ++left;
    if (in_both) ++right;
  }
  if (bytes.size() == place + kContainerHeaderSize) return std::nullopt;
  close_container(bytes, place);
  return Value::from_encoded(std::move(bytes));
}

class Writer {
 public:
  Writer(const Update& update, ItemView old) : update_(update), old_(old), operands_(update, old) {
    // All at once before anything is written, so that errors of operands come before those of paths.
    values_.reserve(update.actions.size());
    for (const Update::Action& action : update.actions) {
      values_.push_back(action.section == Section::remove ? ValueView(nullptr) : operands_.value(action.operand));
    }
  }

  Item write() {
    std::string bytes;
    bytes.reserve(old_.encoded().size() + kRoomForUpdates);
    members(bytes, update_.paths.tree.roots, old_.members(), 1);
    return Item::from_encoded(std::move(bytes));
  }

 private:
  static constexpr size_t kRoomForUpdates = 256;

  // The value of the path that ends in `node`, after its action; nothing if there is none then. `level` is its depth
  // in the item.
  std::optional<ValueView> updated(const PathTree::Node& node, std::optional<ValueView> old, int level) {
    const ValueView operand = values_[node.path];
    switch (update_.actions[node.path].section) {
      case Section::set:
        operands_.spend(operand.encoded().size());
        if (level > 1 && level - 1 + depth(operand) > kDepthMax) throw ExpressionError(kNestedTooDeeply);
        return operand;
      case Section::remove:
        return std::nullopt;
      case Section::add:
        return sum(old, operand);
      case Section::del:
        break;
    }
    if (!old) return std::nullopt;
    check_same_type(*old, operand);
    return kept(merged(*old, operand, false));
  }

  void check_same_type(ValueView old, ValueView operand) const {
    if (old.type() == operand.type()) return;
    if (update_.legacy) throw ExpressionError("Type mismatch for attribute to update");
    refuse_type();
  }

  std::optional<ValueView> sum(std::optional<ValueView> old, ValueView operand) {
    if (!old) return operand;
    check_same_type(*old, operand);
    if (operand.type() == Type::L) return operands_.appended(*old, operand);
    if (operand.type() == Type::N) return operands_.keep(Value::number(checked(old->number().plus(operand.number()))));
    return kept(merged(*old, operand, true));
  }

  std::optional<ValueView> kept(std::optional<Value> value) {
    if (!value) return std::nullopt;
    return operands_.keep(*std::move(value));
  }

  // Members and nodes are both sorted by name: they are merged.
  void members(std::string& out, const Nodes& nodes, MemberRange old, int level) {
    auto node = nodes.begin();
    for (const Member member : old) {
      for (; node != nodes.end() && node->step.name < member.name; ++node) new_member(out, *node, level);
      if (node == nodes.end() || node->step.name != member.name) {
        append_member(out, member.name, member.value);
        continue;
      }
      const size_t entry = out.size();
      append_sized(out, member.name);
      if (!entry_value(out, *node++, member.value, level)) out.resize(entry);
    }
    for (; node != nodes.end(); ++node) new_member(out, *node, level);
  }

  void new_member(std::string& out, const PathTree::Node& node, int level) {
    if (!node.children.empty()) refuse_path();
    const std::optional<ValueView> value = updated(node, std::nullopt, level);
    if (value) append_member(out, node.step.name, *value);
  }

  void elements(std::string& out, const Nodes& nodes, ElementRange old, int level) {
    auto node = nodes.begin();
    uint32_t index = 0;
    for (const ValueView element : old) {
      if (node != nodes.end() && node->step.index == index) {
        (void)entry_value(out, *node++, element, level);
      } else {
        append_value(out, element);
      }
      ++index;
    }
    // Beyond the end of the list: appended in the order of their indexes.
    for (; node != nodes.end(); ++node) {
      if (!node->children.empty()) refuse_path();
      const std::optional<ValueView> value = updated(*node, std::nullopt, level);
      if (value) append_value(out, *value);
    }
  }

  // Appends what becomes of an existing value. False: it is removed.
  bool entry_value(std::string& out, const PathTree::Node& node, ValueView old, int level) {
    if (node.children.empty()) {
      const std::optional<ValueView> value = updated(node, old, level);
      if (value) append_value(out, *value);
      return value.has_value();
    }
    const bool list = node.children.front().step.is_index;
    if (old.type() != (list ? Type::L : Type::M)) refuse_path();
    const size_t place = open_container(out, list ? kList : kMap);
    if (list) {
      elements(out, node.children, old.elements(), level + 1);
    } else {
      members(out, node.children, old.members(), level + 1);
    }
    close_container(out, place);
    return true;
  }

  const Update& update_;
  ItemView old_;
  Operands operands_;
  std::vector<ValueView> values_;
};

}  // namespace

std::expected<Item, ExpressionError> apply(const Update& update, ItemView old) {
  try {
    return Writer(update, old).write();
  } catch (const ExpressionError& error) {
    return std::unexpected(error);
  }
}

}  // namespace tidemill::lang::dynamodb
