#include <array>
#include <charconv>

#include "lang/partiql/parser.h"

namespace tidemill::lang::partiql::detail {

namespace {

constexpr std::array<std::string_view, 7> kComparators = {"=", "<>", "!=", "<", "<=", ">", ">="};
// Reserved words that are functions when a parenthesis follows.
constexpr std::array<std::string_view, 15> kFunctionWords = {
    "AVG", "CAST", "CHARACTER_LENGTH", "CHAR_LENGTH", "COALESCE", "COUNT", "EXISTS", "LOWER",
    "MAX", "MIN",  "NULLIF",           "SIZE",        "SUM",      "TRIM",  "UPPER"};
constexpr std::array<std::string_view, 27> kTypeNames = {
    "MISSING", "NULL",    "BOOL", "BOOLEAN", "SMALLINT",  "INT",  "INTEGER",   "FLOAT",   "REAL",
    "DOUBLE",  "DECIMAL", "DEC",  "NUMERIC", "TIMESTAMP", "CHAR", "CHARACTER", "VARCHAR", "STRING",
    "SYMBOL",  "CLOB",    "BLOB", "STRUCT",  "TUPLE",     "LIST", "SEXP",      "BAG",     "ANY"};
constexpr std::array<std::string_view, 6> kOtherTypeNames = {"INT2", "INT4", "INT8", "DATE", "TIME", "INTEGER8"};

}  // namespace

uint32_t ExpressionParser::expression() {
  const Level level(depth_);
  uint32_t left = conjunction();
  while (peek().is_keyword("OR")) left = infix(NodeKind::any_of, left, [this] { return conjunction(); });
  return left;
}

uint32_t ExpressionParser::conjunction() {
  uint32_t left = negation();
  while (peek().is_keyword("AND")) left = infix(NodeKind::all_of, left, [this] { return negation(); });
  return left;
}

uint32_t ExpressionParser::negation() {
  if (!peek().is_keyword("NOT")) return comparison();
  const Level level(depth_);
  const uint32_t token = here();
  ++at_;
  const uint32_t child = negation();
  return add({NodeKind::negate, token, {}, 0, {child}});
}

template <class Right>
uint32_t ExpressionParser::infix(NodeKind kind, uint32_t left, Right right) {
  const uint32_t token = here();
  std::string text = take().text;
  need_right_side();
  const uint32_t second = right();
  return add({kind, token, std::move(text), 0, {left, second}});
}

void ExpressionParser::need_right_side() {
  if (peek().kind == TokenKind::end) refuse_syntax("Missing right-hand side expression of infix operator");
}

uint32_t ExpressionParser::comparison() {
  uint32_t left = additive();
  for (;;) {
    const Token& token = peek();
    if (token.kind == TokenKind::symbol && one_of(kComparators, token.text)) {
      left = infix(NodeKind::compare, left, [this] { return additive(); });
    } else if (token.is_keyword("IS")) {
      left = is(left);
    } else if (token.is_keyword("NOT") && one_of(std::array{"BETWEEN", "IN", "LIKE"}, peek(1).text) &&
               peek(1).kind == TokenKind::keyword) {
      const uint32_t negation = here();
      ++at_;
      const uint32_t inner = membership(left);
      left = add({NodeKind::negate, negation, {}, 0, {inner}});
    } else if (token.is_keyword("BETWEEN") || token.is_keyword("IN") || token.is_keyword("LIKE")) {
      left = membership(left);
    } else {
      return left;
    }
  }
}

uint32_t ExpressionParser::membership(uint32_t left) {
  const uint32_t token = here();
  if (accept_keyword("BETWEEN")) {
    need_right_side();
    const uint32_t low = additive();
    if (!accept_keyword("AND")) refuse_syntax("Expected AND after BETWEEN");
    need_right_side();
    const uint32_t high = additive();
    return add({NodeKind::between, token, "BETWEEN", 0, {left, low, high}});
  }
  if (accept_keyword("LIKE")) {
    need_right_side();
    const uint32_t pattern = additive();
    return add({NodeKind::like, token, "LIKE", 0, {left, pattern}});
  }
  ++at_;  // IN
  need_right_side();
  Node node{NodeKind::in, token, "IN", 0, {left}};
  if (accept("(")) {
    if (peek().is("[") || peek().is("<<")) {  // ([…]), as some write it
      sequence(node.children, take().is("[") ? "]" : ">>");
      expect(")");
    } else {
      sequence(node.children, ")");
    }
  } else if (accept("[")) {
    sequence(node.children, "]");
  } else if (accept("<<")) {
    sequence(node.children, ">>");
  } else {
    (void)additive();
  }
  return add(std::move(node));
}

uint32_t ExpressionParser::is(uint32_t left) {
  const uint32_t token = here();
  ++at_;
  const bool negated = accept_keyword("NOT");
  std::string type = upper(peek().text);
  const bool word = peek().kind == TokenKind::keyword || peek().kind == TokenKind::identifier;
  if (!word || (!one_of(kTypeNames, type) && !one_of(kOtherTypeNames, type))) refuse_syntax("Expected type name");
  ++at_;
  if (type == "DOUBLE" && accept_keyword("PRECISION")) type += " PRECISION";
  if (type == "CHARACTER" && accept_keyword("VARYING")) type += " VARYING";
  const uint32_t test = add({NodeKind::is, token, std::move(type), 0, {left}});
  return negated ? add({NodeKind::negate, token, {}, 0, {test}}) : test;
}

uint32_t ExpressionParser::additive() {
  uint32_t left = multiplicative();
  for (;;) {
    if (peek().is("+"))
      left = infix(NodeKind::plus, left, [this] { return multiplicative(); });
    else if (peek().is("-"))
      left = infix(NodeKind::minus, left, [this] { return multiplicative(); });
    else if (peek().is("||"))
      left = infix(NodeKind::other, left, [this] { return multiplicative(); });
    else
      return left;
  }
}

uint32_t ExpressionParser::multiplicative() {
  uint32_t left = unary();
  while (peek().is("*") || peek().is("/") || peek().is("%")) {
    left = infix(NodeKind::other, left, [this] { return unary(); });
  }
  return left;
}

uint32_t ExpressionParser::unary() {
  if (!peek().is("-") && !peek().is("+")) return term();
  const Level level(depth_);
  const uint32_t token = here();
  const bool minus = take().is("-");
  const uint32_t child = unary();
  if (syntax_.nodes[child].kind == NodeKind::number) {
    Node& number = syntax_.nodes[child];
    if (minus && number.text.starts_with('-'))
      number.text.erase(0, 1);
    else if (minus)
      number.text.insert(0, "-");
    number.token = token;
    return child;
  }
  return add({minus ? NodeKind::minus : NodeKind::plus, token, minus ? "-" : "+", 0, {child}});
}

uint32_t ExpressionParser::term() {
  const uint32_t token = here();
  switch (peek().kind) {
    case TokenKind::string:
      return add({NodeKind::string, token, take().text});
    case TokenKind::number:
      return add({NodeKind::number, token, take().text});
    case TokenKind::parameter: {
      ++at_;
      return add({NodeKind::parameter, token, {}, parameters_++});
    }
    case TokenKind::keyword:
      return keyword_term();
    case TokenKind::identifier:
      if (peek(1).is("(")) return call();
      return path();
    case TokenKind::quoted:
      return path();
    case TokenKind::symbol:
      return symbol_term();
    case TokenKind::end:
      break;
  }
  refuse_term();
}

uint32_t ExpressionParser::keyword_term() {
  const uint32_t token = here();
  const Token& word = peek();
  if (word.text == "TRUE" || word.text == "FALSE") return add({NodeKind::boolean, token, take().text});
  if (word.text == "NULL") return ++at_, add({NodeKind::null, token});
  if (word.text == "MISSING") return ++at_, add({NodeKind::missing, token});
  if (one_of(kFunctionWords, word.text) && peek(1).is("(")) return call();
  refuse_term();
}

uint32_t ExpressionParser::symbol_term() {
  const uint32_t token = here();
  if (accept("(")) {
    if (peek().kind == TokenKind::end) refuse_term();
    const uint32_t inner = expression();
    expect(")");
    return inner;
  }
  if (accept("[")) return collection(NodeKind::list, token, "]");
  if (accept("<<")) return collection(NodeKind::bag, token, ">>");
  if (accept("{")) return map(token);
  refuse_term();
}

uint32_t ExpressionParser::collection(NodeKind kind, uint32_t token, std::string_view close) {
  Node node{kind, token};
  sequence(node.children, close);
  return add(std::move(node));
}

void ExpressionParser::sequence(std::vector<uint32_t>& children, std::string_view close) {
  if (accept(close)) return;
  do {
    children.push_back(expression());
  } while (accept(","));
  expect(close);
}

uint32_t ExpressionParser::map(uint32_t token) {
  Node node{NodeKind::map, token};
  if (!accept("}")) {
    do {
      node.children.push_back(expression());
      expect(":");
      node.children.push_back(expression());
    } while (accept(","));
    expect("}");
  }
  return add(std::move(node));
}

uint32_t ExpressionParser::call() {
  Node node{NodeKind::call, here(), lower(peek().text)};
  at_ += 2;
  if (peek().is("*") && peek(1).is(")")) ++at_;  // COUNT(*)
  if (peek().is_keyword("SELECT")) refuse_syntax("Unexpected keyword");
  sequence(node.children, ")");
  return add(std::move(node));
}

uint32_t ExpressionParser::path() {
  if (!at_name()) refuse_syntax("Expected identifier for simple path");
  Node node{NodeKind::path, here()};
  node.steps.push_back({take().text});
  for (;;) {
    if (accept(".")) {
      if (peek().is("*")) throw StatementError("Unpivot path component like a.*.b are not supported");
      if (!at_name()) refuse_syntax("Invalid path dot component");
      node.steps.push_back({take().text});
    } else if (peek().is("[")) {
      ++at_;
      node.steps.push_back(bracket_step());
      expect("]");
    } else {
      return add(std::move(node));
    }
  }
}

dynamodb::PathStep ExpressionParser::bracket_step() {
  if (peek().is("*")) throw StatementError("Wildcard path component like a[*].b are not supported");
  if (peek().kind == TokenKind::string) return {take().text};
  if (peek().kind != TokenKind::number) refuse_syntax("Unexpected term");
  const std::string& text = take().text;
  uint32_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index > dynamodb::kListIndexMax) {
    throw StatementError("List index is not within the allowable range; index: [" + text + "]");
  }
  return {{}, index, true};
}

void ExpressionParser::refuse_term() const {
  static constexpr std::array<std::string_view, 8> kOperators = {"IS",  "LIKE", "IN",  "BETWEEN",
                                                                 "AND", "OR",   "NOT", "ESCAPE"};
  const Token& token = peek();
  if (token.kind == TokenKind::keyword) {
    refuse_syntax(one_of(kOperators, token.text) ? "Unexpected operator" : "Unexpected keyword");
  }
  if (token.kind == TokenKind::symbol && (one_of(kComparators, token.text) || token.is("*") || token.is("/"))) {
    refuse_syntax("Unexpected operator");
  }
  refuse_syntax("Unexpected term");
}

}  // namespace tidemill::lang::partiql::detail
