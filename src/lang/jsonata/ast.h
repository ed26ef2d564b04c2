// Inside: the tree of an expression.
//
// The parser makes the types up to `index` as they are written; resolve.h turns those that say how steps follow each
// other (`dot` to `index`) into paths.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/jsonata/regex.h"
#include "lang/jsonata/signature.h"

namespace tidemill::lang::jsonata {

struct Function;

enum class NodeType : uint8_t {
  number,
  string,
  constant,
  name,
  wildcard,
  descendant,
  parent,
  variable,
  regex,
  array,
  object,
  negate,
  binary,
  block,
  condition,
  fallback,
  coalesce,
  bind,
  function,
  partial,
  placeholder,
  lambda,
  transform,
  apply,
  end,
  word,
  dot,
  predicate,
  group,
  order,
  focus,
  index,
  path,
  sort,
};

enum class Op : uint8_t {
  none,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  equal,
  unequal,
  less,
  less_equal,
  greater,
  greater_equal,
  concat,
  range,
  in,
  both,
  either
};

// What a % stands for: the item `level` steps back, which the step there binds to the label.
struct Slot {
  std::string_view label;
  int level = 1;
};

struct Node;

struct Stage {
  Node* filter = nullptr;  // null: bind the position
  std::string_view index;
};

struct Node {
  NodeType type;
  Op op = Op::none;
  uint32_t position = 0;  // where its token ends
  int height = 1;         // of the tree below
  std::string_view text;  // a name, an operator, a string's characters; of a constant: true, false, null
  double number = 0;

  Node* lhs = nullptr;       // left operand; condition; procedure; body of a lambda; pattern of a transform
  Node* rhs = nullptr;       // right operand; then; update of a transform
  Node* third = nullptr;     // else; delete of a transform
  std::vector<Node*> items;  // steps, arguments, parameters, elements, expressions, sort terms
  std::vector<std::pair<Node*, Node*>> pairs;  // of an object
  std::vector<bool> descending;                // by sort term

  std::vector<Stage> stages;      // of a step
  std::vector<Stage> predicates;  // of what is no step
  Node* grouping = nullptr;       // an object node
  std::string_view focus;         // @$name
  std::string_view index;         // #$name
  Slot* ancestor = nullptr;       // what this step binds for a %
  Slot* slot = nullptr;           // of a parent
  std::vector<Slot*> seeking;     // slots that no step inside could bind

  bool tuple = false;
  bool keep_array = false;      // written with []
  bool keep_singleton = false;  // of a path: some step was
  bool constructs_array = false;
  bool thunk = false;  // a call in tail position, put off
  std::shared_ptr<const Signature> signature;
  std::shared_ptr<const Regex> regex;
  const Function* builtin = nullptr;  // of a variable that bears the name of one
};

// Owns its nodes and their texts.
class Ast {
 public:
  Node* make(NodeType type, size_t position) {
    Node& node = nodes_.emplace_back(Node{.type = type});
    node.position = static_cast<uint32_t>(position);
    return &node;
  }
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  Slot* make_slot() { return &slots_.emplace_back(Slot{.label = keep("!" + std::to_string(slots_.size()))}); }

  Node* root = nullptr;

 private:
  std::deque<Node> nodes_;
  std::deque<std::string> texts_;
  std::deque<Slot> slots_;
};

// Throws JsonataError.
[[nodiscard]] std::unique_ptr<const Ast> parse(std::string_view text);

// Paths, ancestors and tail calls of a tree as it was written; the new root. Throws JsonataError.
[[nodiscard]] Node* resolve(Ast& ast, Node* root);

}  // namespace tidemill::lang::jsonata
