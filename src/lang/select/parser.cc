#include "lang/select/parser.h"

#include <algorithm>

#include "base/text.h"
#include "lang/select/row.h"

namespace tidemill::lang::select {
namespace {

using base::cat;
using Kind = Node::Kind;

constexpr std::string_view kReserved[] = {
    "SELECT", "FROM", "WHERE", "LIMIT",  "AND",   "OR",   "NOT",  "IN",   "IS",  "LIKE", "BETWEEN", "AS", "GROUP",
    "ORDER",  "BY",   "JOIN",  "HAVING", "UNION", "WHEN", "THEN", "ELSE", "END", "CASE", "ESCAPE",  "FOR"};
constexpr std::string_view kNotHere[] = {"GROUP", "ORDER", "JOIN", "HAVING", "UNION"};

}  // namespace

bool is_reserved(std::string_view upper) { return std::ranges::find(kReserved, upper) != std::end(kReserved); }

Statement Parser::parse() {
  expect("SELECT", "ParseExpectedKeyword");
  if (token().is("DISTINCT"))
    throw SelectError("ParseUnsupportedSelect", "The SQL expression contains DISTINCT, which is not supported.");
  const bool is_all = select_list();
  if (!token().is("FROM")) {
    if (token().kind == Token::Kind::end)
      throw SelectError("ParseSelectMissingFrom",
                        "The SQL expression is missing the FROM clause after the SELECT list.");
    fail_unexpected();
  }
  lexer_.advance();
  from();
  if (accept("WHERE")) {
    may_aggregate_ = false;
    statement_.where_ = expression();
  }
  for (const std::string_view word : kNotHere) {
    if (token().is(word))
      throw SelectError("ParseUnsupportedSyntax",
                        cat("The SQL expression contains ", word, ", which is not supported at ", place(), "."));
  }
  if (accept("LIMIT")) limit();
  (void)accept(";");
  if (token().kind != Token::Kind::end) fail_unexpected();
  finish(is_all);
  return std::move(statement_);
}

void Parser::fail_unexpected() const {
  constexpr std::string_view kKinds[] = {"EOF", "IDENTIFIER", "IDENTIFIER", "LITERAL", "LITERAL", "OPERATOR"};
  const bool is_keyword = token().kind == Token::Kind::word && is_reserved(token().upper);
  throw SelectError("ParseUnexpectedToken",
                    cat("Unexpected token found ", is_keyword ? "KEYWORD" : kKinds[static_cast<size_t>(token().kind)],
                        ":", token().text, " at ", place(), "."));
}

bool Parser::accept(std::string_view word) {
  if (!token().is(word)) return false;
  lexer_.advance();
  return true;
}

void Parser::expect(std::string_view word, const char* code) {
  if (accept(word)) return;
  if (!code) fail_unexpected();
  throw SelectError(code, cat("Expected keyword ", word, " at ", place(), "."));
}

NodePtr Parser::made(Node node) {
  if (++nodes_ > kNodesMax)
    throw SelectError("ParseUnsupportedSyntax", "Tidemill does not support SQL expressions of so many parts.");
  return std::make_shared<const Node>(std::move(node));
}

NodePtr Parser::made(Kind kind, std::string_view name, std::vector<NodePtr> parts) {
  return made(Node{.kind = kind, .name = std::string(name), .parts = std::move(parts)});
}

bool Parser::star_of_alias() {
  if (!is_name()) return false;
  const Lexer before = lexer_;
  Step alias = name_step();
  if (accept(".") && accept("*")) {
    star_of_ = std::move(alias);
    return true;
  }
  lexer_ = before;
  return false;
}

bool Parser::select_list() {
  if (accept("*") || star_of_alias()) return true;
  do {
    Column column{.node = expression()};
    if (accept("AS"))
      column.name = name();
    else if (is_name())
      column.name = name();
    else
      column.name = own_name(*column.node);
    statement_.columns_.push_back(std::move(column));
  } while (accept(","));
  return false;
}

std::string Parser::own_name(const Node& node) {
  if (node.kind != Kind::path) return "";
  const auto named = std::ranges::find(node.path.rbegin(), node.path.rend(), Step::Kind::name, &Step::kind);
  return named == node.path.rend() ? "" : named->name;
}

void Parser::from() {
  if (token().kind != Token::Kind::word || token().upper != "S3OBJECT") {
    throw SelectError("InvalidDataSource", "The data source type is not valid. Only S3Object is supported.");
  }
  lexer_.advance();
  statement_.from_ = steps(true);
  if (accept("AS") || is_name()) alias_ = name();
  if (accept("AT") || accept("BY")) fail_unexpected();
  if (token().is(",")) {
    throw SelectError("ParseUnsupportedSyntax",
                      "The SQL expression names several data sources, which is not supported.");
  }
}

void Parser::limit() {
  const auto number = token().kind == Token::Kind::number ? number_of_text(token().text) : std::nullopt;
  if (!number || !number->is_integer) {
    throw SelectError("ParseUnsupportedSyntax", cat("LIMIT needs a whole number at ", place(), "."));
  }
  statement_.limit_ = static_cast<uint64_t>(number->integer);
  lexer_.advance();
}

void Parser::finish(bool is_all) {
  // Names of the alias that stand before FROM are known only now: paths are shared with nodes, which are done.
  for (const auto& path : paths_) resolve_alias(path->path);
  statement_.paths_.assign(paths_.begin(), paths_.end());
  size_t number = 0;
  for (Column& column : statement_.columns_) {
    ++number;
    if (column.node->kind == Kind::path && column.node->path.empty()) column.name.clear();
    if (column.name.empty()) column.name = cat("_", number);
  }
  if (star_of_ && !is_alias(*star_of_))
    throw SelectError("InvalidTableAlias", "The SQL expression contains an invalid table alias.");
  if (is_all || statement_.aggregates_.empty()) return;
  for (const Column& column : statement_.columns_) check_aggregated(*column.node);
}

bool Parser::is_alias(const Step& step) const {
  const std::string_view alias = alias_.empty() ? std::string_view("S3Object") : alias_;
  return step.is_exact ? step.name == alias : in_lower_case(step.name) == in_lower_case(alias);
}

void Parser::resolve_alias(Path& path) const {
  if (!path.empty() && path[0].kind == Step::Kind::name && is_alias(path[0])) path.erase(path.begin());
}

void Parser::check_aggregated(const Node& node) {
  if (node.kind == Kind::aggregate) return;
  if (node.kind == Kind::path) {
    throw SelectError("UnsupportedSqlStructure",
                      "The SQL expression has aggregate functions beside columns, which is not supported.");
  }
  for (const NodePtr& part : node.parts) check_aggregated(*part);
}

bool Parser::is_name() const {
  return token().kind == Token::Kind::quoted || (token().kind == Token::Kind::word && !is_reserved(token().upper));
}

std::string Parser::name() {
  if (!is_name()) fail_unexpected();
  std::string text = token().text;
  lexer_.advance();
  return text;
}

Path Parser::steps(bool in_from) {
  Path path;
  while (true) {
    if (accept(".")) {
      if (!in_from && token().is("*")) fail_unexpected();
      if (in_from && accept("*")) {
        path.push_back({.kind = Step::Kind::every});
        continue;
      }
      path.push_back(name_step());
    } else if (token().is("[")) {
      lexer_.advance();
      path.push_back(place_step(in_from));
      expect("]");
    } else {
      return path;
    }
    if (path.size() > kStatementDepthMax) fail_unexpected();
  }
}

Step Parser::name_step() {
  const bool is_exact = token().kind == Token::Kind::quoted;
  if (!is_exact && token().kind != Token::Kind::word)
    throw SelectError("InvalidKeyPath", cat("The key path in the SQL expression is not valid at ", place(), "."));
  Step step{.name = token().text, .is_exact = is_exact};
  lexer_.advance();
  return step;
}

Step Parser::place_step(bool in_from) {
  Step step;
  if (token().kind == Token::Kind::text) {
    step = {.name = token().text, .is_exact = true};
  } else if (token().kind == Token::Kind::number) {
    const auto number = number_of_text(token().text);
    if (!number || !number->is_integer) fail_unexpected();
    step = {.kind = Step::Kind::place, .place = static_cast<size_t>(number->integer)};
  } else if (in_from && token().is("*")) {
    step = {.kind = Step::Kind::every};
  } else {
    throw SelectError("InvalidKeyPath", cat("The key path in the SQL expression is not valid at ", place(), "."));
  }
  lexer_.advance();
  return step;
}

NodePtr Parser::path() {
  Node node{.kind = Kind::path};
  node.path.push_back(name_step());
  Path more = steps(false);
  node.path.insert(node.path.end(), more.begin(), more.end());
  if (++nodes_ > kNodesMax) fail_unexpected();
  return paths_.emplace_back(std::make_shared<Node>(std::move(node)));
}

NodePtr Parser::expression() {
  const Deeper deeper(*this);
  NodePtr left = conjunction();
  while (accept("OR")) left = made(Kind::either, "", {left, conjunction()});
  return left;
}

NodePtr Parser::conjunction() {
  NodePtr left = inverse();
  while (accept("AND")) left = made(Kind::both, "", {left, inverse()});
  return left;
}

NodePtr Parser::inverse() {
  if (!accept("NOT")) return comparison();
  const Deeper deeper(*this);
  return made(Kind::negation, "", {inverse()});
}

NodePtr Parser::comparison() {
  NodePtr left = sum();
  while (true) {
    const Token sign = token();
    if (sign.kind == Token::Kind::sign && (sign.is("=") || sign.is("!=") || sign.is("<>") || sign.is("<") ||
                                           sign.is("<=") || sign.is(">") || sign.is(">="))) {
      lexer_.advance();
      left = made(Kind::comparison, sign.is("<>") ? "!=" : sign.upper, {left, sum()});
    } else if (accept("IS")) {
      const bool is_not = accept("NOT");
      const std::string what = token().upper;
      if (!accept("NULL") && !accept("MISSING")) fail_unexpected();
      left = made(Kind::is, what, {left});
      if (is_not) left = made(Kind::negation, "", {left});
    } else {
      const bool is_not = accept("NOT");
      if (const NodePtr found = predicate(left)) {
        left = is_not ? made(Kind::negation, "", {found}) : found;
        continue;
      }
      if (is_not) fail_unexpected();
      return left;
    }
  }
}

NodePtr Parser::predicate(const NodePtr& left) {
  if (accept("IN")) {
    std::vector<NodePtr> parts{left};
    expect("(");
    do parts.push_back(expression());
    while (accept(","));
    expect(")");
    return made(Kind::among, "", std::move(parts));
  }
  if (accept("BETWEEN")) {
    NodePtr low = sum();
    expect("AND", "ParseExpectedKeyword");
    return made(Kind::between, "", {left, low, sum()});
  }
  if (!accept("LIKE")) return nullptr;
  Node node{.kind = Kind::like, .parts = {left, sum()}};
  if (accept("ESCAPE")) node.parts.push_back(sum());
  if (std::ranges::all_of(node.parts.begin() + 1, node.parts.end(),
                          [](const NodePtr& part) { return part->kind == Kind::constant && text_of(part->value); })) {
    node.pattern = compile_like(*text_of(node.parts[1]->value),
                                node.parts.size() > 2 ? std::string_view(*text_of(node.parts[2]->value)) : "");
  }
  return made(std::move(node));
}

NodePtr Parser::sum() {
  NodePtr left = product();
  while (token().is("+") || token().is("-") || token().is("||")) {
    const std::string sign = token().upper;
    lexer_.advance();
    left = made(Kind::arithmetic, sign, {left, product()});
  }
  return left;
}

NodePtr Parser::product() {
  NodePtr left = unary();
  while (token().is("*") || token().is("/") || token().is("%")) {
    const std::string sign = token().upper;
    lexer_.advance();
    left = made(Kind::arithmetic, sign, {left, unary()});
  }
  return left;
}

NodePtr Parser::unary() {
  const Deeper deeper(*this);
  if (accept("+")) return unary();
  if (!accept("-")) return primary();
  return made(Kind::opposite, "", {unary()});
}

NodePtr Parser::primary() {
  const Token first = token();
  if (first.kind == Token::Kind::number) {
    lexer_.advance();
    const auto number = number_of_text(first.text);
    if (!number)
      throw SelectError("LexerInvalidLiteral",
                        cat("The number at ", lexer_.place_of(first.begin), " in the SQL expression is not valid."));
    return made(Node{.value = number->is_integer ? Value(number->integer) : Value(Real{number->real, {}})});
  }
  if (first.kind == Token::Kind::text) {
    lexer_.advance();
    return made(Node{.value = first.text});
  }
  if (accept("(")) {
    NodePtr inner = expression();
    expect(")");
    return inner;
  }
  if (first.kind == Token::Kind::quoted) return path();
  if (first.kind != Token::Kind::word) fail_unexpected();
  if (accept("TRUE")) return made(Node{.value = true});
  if (accept("FALSE")) return made(Node{.value = false});
  if (accept("NULL")) return made(Node{.value = Null{}});
  if (accept("MISSING")) return made(Node{.value = Missing{}});
  if (accept("CASE")) return choice();
  if (is_reserved(first.upper)) fail_unexpected();
  NodePtr found = path();
  if (!token().is("(")) return found;
  if (paths_.back()->path.size() != 1) fail_unexpected();
  paths_.pop_back();
  lexer_.advance();
  return call(first.upper);
}

Statement Statement::parse(std::string_view text) {
  if (text.size() > kStatementBytesMax) {
    throw SelectError("ExpressionTooLong",
                      "The SQL expression is too long: The maximum byte-length for an SQL expression is 256 KB.");
  }
  return Parser(text).parse();
}

}  // namespace tidemill::lang::select
