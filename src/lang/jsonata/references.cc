// What an expression reads from outside, told by its tree alone.
#include <set>

#include "lang/jsonata/ast.h"
#include "lang/jsonata/jsonata.h"

namespace tidemill::lang::jsonata {

namespace {

class Reader {
 public:
  // `at_top`: the node's input is the expression's own.
  void read(const Node* node, bool at_top) {
    if (!node) return;
    switch (node->type) {
      case NodeType::variable:
        if (node->text == "$")
          references_.reads_root = true;
        else if (!node->text.empty())
          (node->builtin ? functions_ : variables_).insert(node->text);
        break;
      case NodeType::name:
        if (at_top) references_.context_names.emplace_back(node->text);
        break;
      case NodeType::path:
        read_path(*node, at_top);
        break;
      case NodeType::bind:
        bound_.insert(node->lhs->text);
        read(node->rhs, at_top);
        break;
      case NodeType::lambda:
        for (const Node* const parameter : node->items) bound_.insert(parameter->text);
        read(node->lhs, at_top);
        break;
      case NodeType::transform:
        for (const Node* const part : {node->lhs, node->rhs, node->third}) read(part, false);
        break;
      default:
        for (const Node* const part : {node->lhs, node->rhs, node->third}) read(part, at_top);
        for (const Node* const item : node->items) read(item, at_top);
        read_pairs(*node, at_top);
    }
    for (const Stage& predicate : node->predicates) read(predicate.filter, false);
    for (const Stage& stage : node->stages) read(stage.filter, false);
    if (node->grouping) read_pairs(*node->grouping, false);
    if (!node->focus.empty()) bound_.insert(node->focus);
    if (!node->index.empty()) bound_.insert(node->index);
  }

  References take() {
    for (const std::string_view name : variables_) {
      if (!bound_.contains(name)) references_.variables.emplace_back(name);
    }
    references_.functions.assign(functions_.begin(), functions_.end());
    return std::move(references_);
  }

 private:
  void read_path(const Node& path, bool at_top) {
    for (size_t i = 0; i < path.items.size(); ++i) read(path.items[i], at_top && i == 0);
    if (path.items.size() > 1 && path.items[0]->type == NodeType::variable && path.items[0]->text == "states" &&
        path.items[1]->type == NodeType::name) {
      references_.states_members.emplace_back(path.items[1]->text);
    }
  }

  void read_pairs(const Node& node, bool at_top) {
    for (const auto& [key, value] : node.pairs) {
      read(key, at_top);
      read(value, at_top);
    }
  }

  References references_;
  std::set<std::string_view> variables_;
  std::set<std::string_view> functions_;
  std::set<std::string_view> bound_;
};

}  // namespace

References Expression::references() const {
  Reader reader;
  reader.read(ast_->root, true);
  return reader.take();
}

}  // namespace tidemill::lang::jsonata
