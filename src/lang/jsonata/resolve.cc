// From the tree as it is written to the one that is evaluated: steps in a row become a path, each % learns which step
// binds it, and calls at the end of a function are put off, so that they do not nest.
#include <utility>

#include "lang/jsonata/ast.h"
#include "lang/jsonata/error.h"
#include "lang/jsonata/value.h"

namespace tidemill::lang::jsonata {

namespace {

[[noreturn]] void fail(std::string_view code, const Node& node, std::string value = {}) {
  throw JsonataError(code, {.token = std::string(node.text), .value = std::move(value), .position = node.position});
}

void append(std::vector<Slot*>& slots, const std::vector<Slot*>& more) {
  slots.insert(slots.end(), more.begin(), more.end());
}

// What is sought inside a part is sought by the whole.
void pass_on(Node& whole, const Node& part) {
  append(whole.seeking, part.seeking);
  if (part.type == NodeType::parent) whole.seeking.push_back(part.slot);
}

// Walks back over one step in search of what the slot stands for, and binds it there if this is the place.
void seek(Node& node, Slot& slot) {
  switch (node.type) {
    case NodeType::name:
    case NodeType::wildcard:
      if (--slot.level > 0) return;
      if (node.ancestor) slot.label = node.ancestor->label;  // another % has been here
      node.ancestor = &slot;
      node.tuple = true;
      return;
    case NodeType::parent:
      ++slot.level;
      return;
    case NodeType::block:
      if (node.items.empty()) return;
      node.tuple = true;
      return seek(*node.items.back(), slot);
    case NodeType::path: {
      node.tuple = true;
      size_t i = node.items.size();
      do {
        seek(*node.items[--i], slot);
      } while (slot.level > 0 && i > 0);
      return;
    }
    default:
      fail("S0217", node);
  }
}

class Resolver {
 public:
  explicit Resolver(Ast& ast) : ast_(ast) {}

  Node* process(Node* node) {
    Node* const result = dispatch(node);
    if (node->keep_array) result->keep_array = true;
    return result;
  }

 private:
  Node* dispatch(Node* node) {
    switch (node->type) {
      case NodeType::dot:
        return path_of(node);
      case NodeType::predicate:
        return with_predicate(node);
      case NodeType::group:
        return with_group(node);
      case NodeType::order:
        return with_order(node);
      case NodeType::focus:
        return with_focus(node);
      case NodeType::index:
        return with_index(node);
      case NodeType::name:
        return with_name(node);
      case NodeType::word:
        return with_word(node);
      case NodeType::parent:
        node->slot = ast_.make_slot();
        return node;
      case NodeType::negate:
        return negation(node);
      case NodeType::lambda:
        node->lhs = put_off(process(node->lhs));
        return node;
      case NodeType::transform:
        return transform(node);
      case NodeType::block:
        return block(node);
      case NodeType::apply:
        return apply(node);
      case NodeType::condition:
      case NodeType::bind:
      case NodeType::binary:
        return operands(node);
      case NodeType::array:
      case NodeType::object:
      case NodeType::function:
      case NodeType::partial:
        return members(node);
      case NodeType::end:
        fail("S0207", *node);
      default:
        return node;
    }
  }

  Node* make_path(Node* step) {
    Node* const path = ast_.make(NodeType::path, step->position);
    path->text = step->text;
    path->items.push_back(step);
    return path;
  }
  Node* as_path(Node* node) { return node->type == NodeType::path ? node : make_path(node); }

  Node* path_of(Node* node) {
    Node* const left = process(node->lhs);
    Node* const path = as_path(left);
    if (left->type == NodeType::parent) path->seeking = {left->slot};
    Node* const rest = process(node->rhs);
    if (rest->type == NodeType::path) {
      path->items.insert(path->items.end(), rest->items.begin(), rest->items.end());
    } else {
      if (!rest->predicates.empty()) rest->stages = std::exchange(rest->predicates, {});
      path->items.push_back(rest);
    }
    for (Node* const step : path->items) check_step(*step, *path);
    // [...] at either end makes an array of each, which steps do not flatten.
    for (Node* const end : {path->items.front(), path->items.back()}) {
      if (end->type == NodeType::array) end->constructs_array = true;
    }
    find_ancestors(*path);
    return path;
  }
  static void check_step(Node& step, Node& path) {
    if (step.type == NodeType::number || step.type == NodeType::constant) {
      fail("S0213", step, std::string(step.text));
    }
    if (step.type == NodeType::string) step.type = NodeType::name;
    if (step.keep_array) path.keep_singleton = true;
  }

  // Slots that the last step seeks are bound by those before it, or sought further by the path.
  static void find_ancestors(Node& path) {
    const std::vector<Node*>& steps = path.items;
    const Node& last = *steps.back();
    std::vector<Slot*> slots = last.seeking;
    if (last.type == NodeType::parent) slots.push_back(last.slot);
    for (Slot* const slot : slots) {
      size_t i = steps.size() - 1;
      while (slot->level > 0) {
        if (i == 0) {
          path.seeking.push_back(slot);
          break;
        }
        Node* step = steps[--i];
        // Steps that bind a focus stand side by side: they all start from the item before the first.
        while (i > 0 && !step->focus.empty() && !steps[i - 1]->focus.empty()) step = steps[--i];
        seek(*step, *slot);
      }
    }
  }

  Node* with_predicate(Node* node) {
    Node* const result = process(node->lhs);
    const bool is_path = result->type == NodeType::path;
    Node& step = is_path ? *result->items.back() : *result;
    if (step.grouping) fail("S0209", *node);
    Node* const filter = process(node->rhs);
    for (Slot* const slot : filter->seeking) {
      slot->level == 1 ? seek(step, *slot) : void(--slot->level);
    }
    if (!filter->seeking.empty()) pass_on(step, *filter);
    (is_path ? step.stages : step.predicates).push_back({.filter = filter});
    return result;
  }

  Node* with_group(Node* node) {
    Node* const result = process(node->lhs);
    if (result->grouping) fail("S0210", *node);
    Node* const object = node->rhs;
    for (auto& [key, value] : object->pairs) key = process(key), value = process(value);
    result->grouping = object;
    return result;
  }

  Node* with_order(Node* node) {
    Node* const path = as_path(process(node->lhs));
    Node* const sort = ast_.make(NodeType::sort, node->position);
    sort->text = node->text;
    sort->descending = node->descending;
    for (Node* const term : node->items) {
      sort->items.push_back(process(term));
      pass_on(*sort, *sort->items.back());
    }
    path->items.push_back(sort);
    find_ancestors(*path);
    return path;
  }

  Node* with_focus(Node* node) {
    Node* const result = process(node->lhs);
    Node& step = result->type == NodeType::path ? *result->items.back() : *result;
    if (!step.stages.empty() || !step.predicates.empty()) fail("S0215", *node);
    if (step.type == NodeType::sort) fail("S0216", *node);
    if (node->keep_array) step.keep_array = true;
    step.focus = node->rhs->text;
    step.tuple = true;
    return result;
  }

  Node* with_index(Node* node) {
    Node* const left = process(node->lhs);
    if (left->type != NodeType::path && !left->predicates.empty()) left->stages = std::exchange(left->predicates, {});
    Node* const path = as_path(left);
    Node& step = *path->items.back();
    step.stages.empty() ? void(step.index = node->rhs->text) : step.stages.push_back({.index = node->rhs->text});
    step.tuple = true;
    return path;
  }

  Node* with_name(Node* node) {
    Node* const path = make_path(node);
    if (node->keep_array) path->keep_singleton = true;
    return path;
  }
  // An operator in an operand's place is a name: `and.or`.
  Node* with_word(Node* node) {
    node->type = NodeType::name;
    return with_name(node);
  }

  Node* negation(Node* node) {
    Node* const operand = process(node->lhs);
    if (operand->type == NodeType::number && operand->predicates.empty() && !operand->grouping) {
      operand->number = -operand->number;
      operand->text = ast_.keep("-" + std::string(operand->text));
      return operand;
    }
    node->lhs = operand;
    pass_on(*node, *operand);
    return node;
  }

  void process_child(Node& node, Node*& child) {
    if (!child) return;
    child = process(child);
    pass_on(node, *child);
  }
  Node* operands(Node* node) {
    process_child(*node, node->lhs);
    process_child(*node, node->rhs);
    process_child(*node, node->third);
    if (node->text == "?:" || node->text == "??") {
      node->type = node->text == "?:" ? NodeType::fallback : NodeType::coalesce;
    }
    return node;
  }
  Node* members(Node* node) {
    if (node->lhs) node->lhs = process(node->lhs);
    for (Node*& item : node->items) process_child(*node, item);
    for (auto& [key, value] : node->pairs) process_child(*node, key), process_child(*node, value);
    return node;
  }
  Node* apply(Node* node) {
    operands(node);
    node->keep_array = node->lhs->keep_array || node->rhs->keep_array;
    return node;
  }
  Node* transform(Node* node) {
    node->lhs = process(node->lhs);
    node->rhs = process(node->rhs);
    if (node->third) node->third = process(node->third);
    return node;
  }
  Node* block(Node* node) {
    for (Node*& item : node->items) {
      process_child(*node, item);
      const bool is_constructor =
          item->constructs_array || (item->type == NodeType::path && item->items.front()->constructs_array);
      if (is_constructor) node->constructs_array = true;
    }
    return node;
  }

  // A call whose value is the function's own becomes one that is made when the function has returned.
  Node* put_off(Node* node) {
    if (node->type == NodeType::function && node->predicates.empty()) {
      Node* const thunk = ast_.make(NodeType::lambda, node->position);
      thunk->thunk = true;
      thunk->lhs = node;
      return thunk;
    }
    if (node->type == NodeType::condition) {
      node->rhs = put_off(node->rhs);
      if (node->third) node->third = put_off(node->third);
    } else if (node->type == NodeType::block && !node->items.empty()) {
      node->items.back() = put_off(node->items.back());
    }
    return node;
  }

  Ast& ast_;
};

}  // namespace

Node* resolve(Ast& ast, Node* root) {
  Node* const result = Resolver(ast).process(root);
  if (result->type == NodeType::parent || !result->seeking.empty()) fail("S0217", *result);
  return result;
}

}  // namespace tidemill::lang::jsonata
