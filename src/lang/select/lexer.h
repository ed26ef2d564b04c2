// Words of S3 Select's statements.
#pragma once

#include <string>
#include <string_view>

#include "lang/select/error.h"

namespace tidemill::lang::select {

struct Token {
  enum class Kind { end, word, quoted, text, number, sign };
  Kind kind = Kind::end;
  std::string text;   // of a word as it stands there
  std::string upper;  // of a word or a sign
  size_t begin = 0;

  [[nodiscard]] bool is(std::string_view word_or_sign) const {
    return (kind == Kind::word || kind == Kind::sign) && upper == word_or_sign;
  }
};

class Lexer {
 public:
  // Throws SelectError, also in advance().
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  [[nodiscard]] const Token& token() const { return token_; }
  void advance();
  // "line 1, column 8"
  [[nodiscard]] std::string place_of(size_t begin) const;

 private:
  void skip_blanks();
  void read_quoted(char quote, Token::Kind kind);
  void read_number();

  std::string_view text_;
  size_t at_ = 0;
  Token token_;
};

}  // namespace tidemill::lang::select
