// The grammar, in two classes: expressions, and the statements made of them. Precedence from the loosest: OR, AND, NOT,
// comparison, + and -, unary minus. Throws StatementError.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "lang/partiql/syntax.h"

namespace tidemill::lang::partiql::detail {

template <class Words>
bool one_of(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) {
    syntax_.text = text;
    syntax_.tokens = tokenize(text);
  }

 protected:
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

  // ---- Expressions: each gives the index of its node ----

  uint32_t expression();
  uint32_t additive();
  uint32_t path();
  // What stands where a term should begin.
  [[noreturn]] void refuse_term() const;

  Syntax syntax_;
  size_t at_ = 0;

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

  uint32_t conjunction();
  uint32_t negation();
  template <class Right>
  uint32_t infix(NodeKind kind, uint32_t left, Right right);
  void need_right_side();
  uint32_t comparison();
  uint32_t membership(uint32_t left);
  uint32_t is(uint32_t left);
  uint32_t multiplicative();
  uint32_t unary();
  uint32_t term();
  uint32_t keyword_term();
  uint32_t symbol_term();
  uint32_t collection(NodeKind kind, uint32_t token, std::string_view close);
  void sequence(std::vector<uint32_t>& children, std::string_view close);
  uint32_t map(uint32_t token);
  uint32_t call();
  dynamodb::PathStep bracket_step();

  int depth_ = 0;
  uint32_t parameters_ = 0;
};

}  // namespace tidemill::lang::partiql::detail
