#include "lang/partiql/parser.h"

#include <array>

namespace tidemill::lang::partiql::detail {

namespace {

constexpr std::array<std::string_view, 5> kClauses = {"LIMIT", "GROUP", "HAVING", "UNPIVOT", "PIVOT"};

class StatementParser : ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  Syntax run() {
    statement();
    (void)accept(";");
    if (peek().kind != TokenKind::end) refuse_syntax("Unexpected token after expression");
    return std::move(syntax_);
  }

 private:
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

  // Words that PartiQL does not reserve: ALL, OLD, MODIFIED, CONFLICT.
  bool accept_word(std::string_view word) {
    const Token& token = peek();
    if (!token.is_keyword(word) && (token.kind != TokenKind::identifier || upper(token.text) != word)) return false;
    ++at_;
    return true;
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
};

}  // namespace

Syntax parse_syntax(std::string_view text) { return StatementParser(text).run(); }

}  // namespace tidemill::lang::partiql::detail
