// Tokens of a statement. Inside this room only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::lang::partiql::detail {

enum class TokenKind : uint8_t {
  end,
  identifier,  // text: the name; unquoted and not reserved
  quoted,      // text: the name that stood in double quotes
  keyword,     // text: in upper case
  string,      // text: without quotes
  number,      // text: as written
  symbol,      // text: "<=", "(", …
  parameter,   // ?
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;
  uint32_t begin = 0;  // in bytes
  uint32_t end = 0;

  [[nodiscard]] bool is(std::string_view symbol) const { return kind == TokenKind::symbol && text == symbol; }
  [[nodiscard]] bool is_keyword(std::string_view word) const { return kind == TokenKind::keyword && text == word; }
};

// Ends with a token of kind `end`. Throws StatementError for what is no token: a quote that is not closed, a character
// that begins nothing, a number whose exponent or scale needs more than 32 bits.
[[nodiscard]] std::vector<Token> tokenize(std::string_view text);

// Whether PartiQL reserves the word (in upper case), so that a name of this spelling must be quoted.
[[nodiscard]] bool is_reserved(std::string_view upper_case);

// The word in upper case; in lower case. ASCII.
[[nodiscard]] std::string upper(std::string_view word);
[[nodiscard]] std::string lower(std::string_view word);

// "Statement wasn't well formed, can't be processed: <detail>"
[[noreturn]] void refuse_syntax(std::string_view detail = {});

// " at 1:8:5": line and column from 1 and length, in characters.
[[nodiscard]] std::string position(std::string_view text, const Token& token);

}  // namespace tidemill::lang::partiql::detail
