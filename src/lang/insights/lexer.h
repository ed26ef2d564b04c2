// Inside: the words and signs of a query.
#pragma once

#include <string>
#include <string_view>

#include "lang/insights/query.h"

namespace tidemill::lang::insights {

struct Token {
  enum class Kind { end, word, quoted_word, number, text, regex, sign } kind = Kind::end;
  std::string text;  // of a text without its quotes, of a regex without its slashes
  double number = 0;
  size_t begin = 0;
  size_t end = 0;
};

[[nodiscard]] std::string small_letters(std::string_view text);

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  [[nodiscard]] const Token& token() const { return token_; }
  void advance();
  // A '/' that comes next begins a regular expression, not a division: to be called where an operand is expected.
  void expect_operand();
  [[nodiscard]] std::string_view between(size_t begin, size_t end) const { return text_.substr(begin, end - begin); }
  // Where the last token that was taken has ended.
  [[nodiscard]] size_t last_end() const { return last_end_; }

  [[nodiscard]] bool is_word(std::string_view word) const;  // in any case, and not in backticks
  [[nodiscard]] bool is_sign(std::string_view sign) const {
    return token_.kind == Token::Kind::sign && token_.text == sign;
  }
  bool accept_word(std::string_view word);
  bool accept_sign(std::string_view sign);
  void expect_sign(std::string_view sign);

  // "unexpected symbol found x at line 1 and position 7", with the token that comes next.
  [[noreturn]] void fail_unexpected() const;
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] static void fail_at(const std::string& message, size_t begin, size_t end);

 private:
  void skip_space();
  void read_quoted(char quote, Token::Kind kind);
  void read_regex();

  std::string_view text_;
  size_t at_ = 0;
  size_t last_end_ = 0;
  Token token_;
};

}  // namespace tidemill::lang::insights
