// From an expression's text to its syntax tree, and the checks that need nothing but the text: syntax, limits,
// reserved words, function names. Inside this room only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/dynamodb/expression.h"

namespace tidemill::lang::dynamodb::detail {

// Throws "Invalid …Expression: <message>".
[[noreturn]] void refuse_expression(ExpressionKind kind, std::string_view message, bool prefixed = false);

enum class TokenKind : uint8_t {
  end,
  identifier,
  name,
  value,
  integer,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  open,
  close,
  open_bracket,
  close_bracket,
  comma,
  dot,
  plus,
  minus,
  key_and,
  key_or,
  key_not,
  key_between,
  key_in,  // in conditions
  key_set,
  key_remove,
  key_add,
  key_delete,  // in updates
  invalid,
};

struct Token {
  TokenKind kind;
  uint32_t begin;
  uint32_t end;
};

inline constexpr uint32_t kNone = UINT32_MAX;

enum class NodeKind : uint8_t { path, value, call, compare, between, in, all_of, any_of, negate, plus, minus };

struct SyntaxNode {
  NodeKind kind;
  bool parenthesized = false;
  uint32_t token = 0;            // what names it: the operator, the function, the value; a path's first step
  uint32_t first_child = kNone;  // children in source order
  uint32_t next = kNone;         // the next child of the same parent
  uint32_t child_count = 0;
  uint32_t step_count = 0;  // of a path: its steps are those from first_step on
  uint32_t first_step = 0;
};

struct SyntaxStep {
  uint32_t token;
  bool is_index;
};

struct SyntaxAction {
  TokenKind section;       // key_set, …
  uint32_t section_token;  // tells two sections of one kind apart
  uint32_t path;           // nodes
  uint32_t operand;        // kNone: remove
};

class Syntax {
 public:
  // Each throws ExpressionError.
  static Syntax of_condition(std::string_view text, ExpressionKind kind);
  static Syntax of_projection(std::string_view text);
  static Syntax of_update(std::string_view text);

  [[nodiscard]] ExpressionKind kind() const { return kind_; }
  [[nodiscard]] const SyntaxNode& node(uint32_t number) const { return nodes_[number]; }
  [[nodiscard]] std::string_view token_text(uint32_t token) const {
    return text_.substr(tokens_[token].begin, tokens_[token].end - tokens_[token].begin);
  }
  [[nodiscard]] TokenKind token_kind(uint32_t token) const { return tokens_[token].kind; }
  // A function's or an operator's name as messages have it.
  [[nodiscard]] std::string_view name_of(uint32_t node) const;
  [[nodiscard]] uint32_t child(uint32_t node, uint32_t index) const;

  uint32_t root = kNone;              // of a condition
  std::vector<uint32_t> projected;    // path nodes of a projection
  std::vector<SyntaxAction> actions;  // of an update

  // The path of a path node; throws for a #name that is not defined.
  [[nodiscard]] Path resolve_path(uint32_t node, Substitutions& substitutions) const;
  // The value of a value node; throws if it is not defined.
  [[nodiscard]] ValueView resolve_value(uint32_t node, Substitutions& substitutions) const;
  void check_arity(uint32_t node) const;
  [[noreturn]] void refuse(std::string_view message, bool prefixed = false) const {
    refuse_expression(kind_, message, prefixed);
  }
  // The same, of a ConditionExpression in the form of writes of single items.
  [[noreturn]] void refuse_more_in_writes(std::string_view message) const;
  [[noreturn]] void refuse_operand_type(std::string_view operation, std::string_view type) const;

 private:
  friend class SyntaxParser;
  Syntax(std::string_view text, ExpressionKind kind) : text_(text), kind_(kind) {}
  static Syntax parse(std::string_view text, ExpressionKind kind);  // syntax_parser.cc

  enum class Place { condition, operand };
  void check_texts(uint32_t node, Place place) const;
  void check_path_texts(const SyntaxNode& node) const;
  void check_function(uint32_t node, Place place) const;
  void check_sections() const;

  std::string_view text_;
  ExpressionKind kind_;
  std::vector<Token> tokens_;
  std::vector<SyntaxNode> nodes_;
  std::vector<SyntaxStep> steps_;
};

}  // namespace tidemill::lang::dynamodb::detail
