// The grammar. Precedence from the loosest: OR, AND, NOT, comparison, + and -, unary minus.
#include <algorithm>
#include <array>
#include <charconv>

#include "lang/partiql/syntax.h"

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
constexpr std::array<std::string_view, 5> kClauses = {"LIMIT", "GROUP", "HAVING", "UNPIVOT", "PIVOT"};

template <class Words>
bool one_of(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

class Parser {
 public:
  explicit Parser(std::string_view text) {
    syntax_.text = text;
    syntax_.tokens = tokenize(text);
  }

  Syntax run() {
    statement();
    (void)accept(";");
    if (peek().kind != TokenKind::end) refuse_syntax("Unexpected token after expression");
    return std::move(syntax_);
  }

 private:
  // One level of recursion.
  class Level {
   public:
    explicit Level(int& depth) : depth_(depth) {
      if (++depth_ > kNestingMax) refuse_syntax();
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;

   private:
    int& depth_;
  };

  // ---- Tokens ----

  [[nodiscard]] const Token& peek(size_t ahead = 0) const {
    return syntax_.tokens[std::min(at_ + ahead, syntax_.tokens.size() - 1)];
  }
  const Token& take() {
    const Token& token = peek();
    if (token.kind != TokenKind::end) ++at_;
    return token;
  }
  bool accept(std::string_view symbol) {
    if (!peek().is(symbol)) return false;
    ++at_;
    return true;
  }
  bool accept_keyword(std::string_view word) {
    if (!peek().is_keyword(word)) return false;
    ++at_;
    return true;
  }
  // Words that PartiQL does not reserve: ALL, OLD, MODIFIED, CONFLICT.
  bool accept_word(std::string_view word) {
    const Token& token = peek();
    if (!token.is_keyword(word) && (token.kind != TokenKind::identifier || upper(token.text) != word)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view symbol) {
    if (!accept(symbol)) refuse_syntax("Expected " + std::string(symbol));
  }
  [[nodiscard]] bool at_name() const {
    return peek().kind == TokenKind::identifier || peek().kind == TokenKind::quoted;
  }

  uint32_t add(Node node) {
    syntax_.nodes.push_back(std::move(node));
    return static_cast<uint32_t>(syntax_.nodes.size() - 1);
  }
  [[nodiscard]] uint32_t here() const { return static_cast<uint32_t>(at_); }

  // ---- Statements ----

  void statement() {
    if (accept_keyword("SELECT")) return select();
    if (accept_keyword("INSERT")) return insert();
    if (accept_keyword("UPDATE")) return update();
    if (accept_keyword("DELETE")) return remove();
    if (accept_keyword("FROM")) return from_first();
    if (peek().is_keyword("EXISTS") && peek(1).is("(")) return exists();
    refuse_syntax("Expected data manipulation");
  }

  void select() {
    syntax_.kind = Statement::Kind::select;
    do {
      syntax_.columns.push_back(column());
      alias();
    } while (accept(","));
    if (!accept_keyword("FROM")) refuse_syntax("Unexpected token after expression");
    if (!at_name()) refuse_term();
    source();
    alias();
    while (accept(",")) {
      syntax_.several_sources = true;
      if (!at_name()) refuse_term();
      (void)name();
      while (accept(".")) (void)name();
    }
    where();
    if (accept_keyword("ORDER")) order();
    if (peek().kind == TokenKind::keyword && one_of(kClauses, peek().text)) {
      syntax_.clause = peek().text + position(syntax_.text, peek());
      at_ = syntax_.tokens.size() - 1;
    }
  }

  uint32_t column() {
    if (peek().is("*")) {
      ++at_;
      return add({NodeKind::star, here() - 1});
    }
    return expression();
  }

  void alias() {
    if (accept_keyword("AS") || at_name()) {
      syntax_.aliased = true;
      (void)name();
    }
  }

  void order() {
    if (!accept_keyword("BY")) refuse_syntax("Expected BY");
    do {
      const uint32_t what = additive();
      bool descending = false;
      if (accept_keyword("DESC"))
        descending = true;
      else
        (void)accept_keyword("ASC");
      syntax_.order.emplace_back(what, descending);
    } while (accept(","));
  }

  void exists() {
    at_ += 2;
    if (!accept_keyword("SELECT")) refuse_syntax("Expected data manipulation");
    select();
    expect(")");
    syntax_.kind = Statement::Kind::exists;
  }

  void insert() {
    syntax_.kind = Statement::Kind::insert;
    if (!accept_keyword("INTO")) refuse_syntax("Expected INTO");
    table();
    if (peek().is_keyword("VALUES") || peek().is("<<")) {
      throw StatementError(
          "Unsupported operation: Inserting multiple items in a single statement is not supported, use \"INSERT INTO "
          "tableName VALUE item\" instead");
    }
    if (!accept_keyword("VALUE")) {
      if (peek().kind == TokenKind::identifier || peek().kind == TokenKind::quoted) {
        refuse_syntax("Unexpected token after expression");
      }
      refuse_term();
    }
    syntax_.item = expression();
    if (peek().is_keyword("RETURNING")) throw StatementError("RETURNING is not supported in INSERT");
  }

  void update() {
    syntax_.kind = Statement::Kind::update;
    table();
    alias();
    if (!changes()) refuse_syntax("Expected data manipulation");
    where();
    returning();
  }

  // FROM t WHERE … SET …
  void from_first() {
    syntax_.kind = Statement::Kind::update;
    table();
    alias();
    where();
    if (!changes()) refuse_syntax("Expected data manipulation");
    returning();
  }

  void remove() {
    syntax_.kind = Statement::Kind::del;
    if (!accept_keyword("FROM")) refuse_syntax("Expected FROM");
    table();
    alias();
    where();
    returning();
  }

  // SET and REMOVE clauses; whether there was one.
  bool changes() {
    bool any = false;
    for (;; any = true) {
      if (accept_keyword("SET")) {
        do {
          const uint32_t target = path();
          expect("=");
          syntax_.assignments.push_back({target, expression()});
        } while (accept(","));
      } else if (accept_keyword("REMOVE")) {
        syntax_.assignments.push_back({path(), std::nullopt});
      } else {
        return any;
      }
    }
  }

  void returning() {
    if (!accept_keyword("RETURNING")) return;
    const std::string what = accept_word("ALL") ? "ALL" : accept_word("MODIFIED") ? "MODIFIED" : "";
    if (what.empty()) refuse_syntax("Expected ALL or MODIFIED in a returning clause.");
    const std::string image = accept_word("OLD") ? "OLD" : accept_word("NEW") ? "NEW" : "";
    if (image.empty()) refuse_syntax("Expected OLD or NEW in a returning clause.");
    if (!accept("*")) {
      throw StatementError("Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause");
    }
    if (peek().is(",")) throw StatementError("Invalid syntax with multiple returning elements in RETURNING clause");
    syntax_.returning = what + " " + image + " *";
  }

  void where() {
    if (accept_keyword("WHERE")) syntax_.where = expression();
  }

  void table() {
    if (!at_name()) refuse_syntax("Expected identifier for simple path");
    source();
  }

  void source() {
    syntax_.source.push_back(name());
    while (accept(".")) {
      if (!at_name()) refuse_syntax("Invalid path dot component");
      syntax_.source.push_back(name());
    }
  }

  std::string name() {
    if (!at_name()) refuse_syntax("Expected identifier for alias");
    return take().text;
  }

  // ---- Expressions ----

  uint32_t expression() {
    const Level level(depth_);
    uint32_t left = conjunction();
    while (peek().is_keyword("OR")) left = infix(NodeKind::any_of, left, [this] { return conjunction(); });
    return left;
  }

  uint32_t conjunction() {
    uint32_t left = negation();
    while (peek().is_keyword("AND")) left = infix(NodeKind::all_of, left, [this] { return negation(); });
    return left;
  }

  uint32_t negation() {
    if (!peek().is_keyword("NOT")) return comparison();
    const Level level(depth_);
    const uint32_t token = here();
    ++at_;
    const uint32_t child = negation();
    return add({NodeKind::negate, token, {}, 0, {child}});
  }

  template <class Right>
  uint32_t infix(NodeKind kind, uint32_t left, Right right) {
    const uint32_t token = here();
    std::string text = take().text;
    need_right_side();
    const uint32_t second = right();
    return add({kind, token, std::move(text), 0, {left, second}});
  }

  void need_right_side() {
    if (peek().kind == TokenKind::end) refuse_syntax("Missing right-hand side expression of infix operator");
  }

  uint32_t comparison() {
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

  uint32_t membership(uint32_t left) {
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

  uint32_t is(uint32_t left) {
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

  uint32_t additive() {
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

  uint32_t multiplicative() {
    uint32_t left = unary();
    while (peek().is("*") || peek().is("/") || peek().is("%")) {
      left = infix(NodeKind::other, left, [this] { return unary(); });
    }
    return left;
  }

  uint32_t unary() {
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

  uint32_t term() {
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

  uint32_t keyword_term() {
    const uint32_t token = here();
    const Token& word = peek();
    if (word.text == "TRUE" || word.text == "FALSE") return add({NodeKind::boolean, token, take().text});
    if (word.text == "NULL") return ++at_, add({NodeKind::null, token});
    if (word.text == "MISSING") return ++at_, add({NodeKind::missing, token});
    if (one_of(kFunctionWords, word.text) && peek(1).is("(")) return call();
    refuse_term();
  }

  uint32_t symbol_term() {
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

  uint32_t collection(NodeKind kind, uint32_t token, std::string_view close) {
    Node node{kind, token};
    sequence(node.children, close);
    return add(std::move(node));
  }

  void sequence(std::vector<uint32_t>& children, std::string_view close) {
    if (accept(close)) return;
    do {
      children.push_back(expression());
    } while (accept(","));
    expect(close);
  }

  uint32_t map(uint32_t token) {
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

  uint32_t call() {
    Node node{NodeKind::call, here(), lower(peek().text)};
    at_ += 2;
    if (peek().is("*") && peek(1).is(")")) ++at_;  // COUNT(*)
    if (peek().is_keyword("SELECT")) refuse_syntax("Unexpected keyword");
    sequence(node.children, ")");
    return add(std::move(node));
  }

  uint32_t path() {
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

  dynamodb::PathStep bracket_step() {
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

  // What stands where a term should begin.
  [[noreturn]] void refuse_term() const {
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

  Syntax syntax_;
  size_t at_ = 0;
  int depth_ = 0;
  uint32_t parameters_ = 0;
};

}  // namespace

Syntax parse_syntax(std::string_view text) { return Parser(text).run(); }

}  // namespace tidemill::lang::partiql::detail
