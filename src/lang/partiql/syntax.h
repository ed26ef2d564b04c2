// The syntax tree of a statement. Inside this room only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/partiql/statement.h"
#include "lang/partiql/token.h"

namespace tidemill::lang::partiql::detail {

enum class NodeKind : uint8_t {
  path,     // steps
  star,     // * in a SELECT list
  string,   // text
  number,   // text
  boolean,  // text: "TRUE", "FALSE"
  null,
  missing,
  parameter,  // number: from 0
  list,       // children
  map,        // children: name and value in turn
  bag,        // children
  call,       // text: the function in lower case; children
  compare,    // text: the operator; two children
  between,    // three children
  in,         // the operand, then the candidates
  is,         // text: the type in upper case; one child
  like,
  all_of,  // two children, as any_of
  any_of,
  negate,  // one child, as minus with one
  plus,
  minus,
  other,  // text: an operator that DynamoDB does not have
};

struct Node {
  NodeKind kind;
  uint32_t token = 0;  // where it begins
  std::string text = {};
  uint32_t number = 0;
  std::vector<uint32_t> children = {};
  std::vector<dynamodb::PathStep> steps = {};
};

struct Assignment {
  uint32_t target;
  std::optional<uint32_t> value;  // nothing: REMOVE
};

struct Syntax {
  std::string_view text;
  std::vector<Token> tokens;
  std::vector<Node> nodes;

  Statement::Kind kind = Statement::Kind::select;
  std::vector<std::string> source;  // the table, or table and index
  std::vector<uint32_t> columns;
  std::optional<uint32_t> where;
  std::vector<std::pair<uint32_t, bool>> order;  // what, and whether descending
  std::optional<uint32_t> item;
  std::vector<Assignment> assignments;
  std::optional<std::string> returning;  // "MODIFIED OLD *"
  bool aliased = false;                  // a table or a column has been given another name
  bool several_sources = false;
  std::string clause;  // one that DynamoDB does not have, and where it stands: "LIMIT at 1:20:5"

  [[nodiscard]] std::string at(uint32_t node) const { return position(text, tokens[nodes[node].token]); }
};

// Throws StatementError for what is no statement; what it means is checked later.
[[nodiscard]] Syntax parse_syntax(std::string_view text);

}  // namespace tidemill::lang::partiql::detail
