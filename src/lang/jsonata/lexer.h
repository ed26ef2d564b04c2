// Inside: an expression's text as tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemill::lang::jsonata {

struct Token {
  // `value`: true, false, null.
  enum class Type : uint8_t { end, name, variable, op, string, number, value, regex };

  Type type = Type::end;
  std::string text;   // of a name or variable (without $), operator, string, value, pattern
  std::string flags;  // of a regex
  double number = 0;
  size_t position = 0;  // where it ends
};

class Lexer {
 public:
  // `text` must outlive the lexer.
  explicit Lexer(std::string_view text) : text_(text) {}

  // `after_operand`: a slash divides here; else it begins a regular expression. Throws JsonataError.
  [[nodiscard]] Token next(bool after_operand);

 private:
  void skip_space();
  [[nodiscard]] char peek(size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  [[nodiscard]] Token token(Token::Type type, std::string text);
  [[nodiscard]] bool read_operator(Token& token);
  [[nodiscard]] Token read_regex();
  [[nodiscard]] Token read_string();
  [[nodiscard]] Token read_quoted_name();
  [[nodiscard]] Token read_number();
  [[nodiscard]] Token read_name();
  void read_escape(std::string& out);
  [[nodiscard]] char32_t read_hex();

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace tidemill::lang::jsonata
