#include "lang/jsonata/lexer.h"

#include <charconv>
#include <cmath>

#include "lang/jsonata/error.h"
#include "lang/jsonata/text.h"

namespace tidemill::lang::jsonata {

namespace {

constexpr std::string_view kSpace(" \t\n\r\v", 5);
constexpr std::string_view kOperators = ".[]{}(),@#;:?+-*/%|=<>^&!~";
constexpr std::string_view kPairs[] = {"..", ":=", "!=", ">=", "<=", "**", "~>", "?:", "??"};

bool is_space(char c) { return kSpace.contains(c); }

bool ends_name(char c) { return is_space(c) || kOperators.contains(c); }

[[noreturn]] void fail(std::string_view code, size_t position, std::string token = {}) {
  throw JsonataError(code, {.token = std::move(token), .position = static_cast<int64_t>(position)});
}

}  // namespace

void Lexer::skip_space() {
  for (;;) {
    while (position_ < text_.size() && is_space(text_[position_])) ++position_;
    if (peek() != '/' || peek(1) != '*') return;
    const size_t end = text_.find("*/", position_ + 2);
    if (end == std::string_view::npos) fail("S0106", position_);
    position_ = end + 2;
  }
}

Token Lexer::token(Token::Type type, std::string text) {
  return {.type = type, .text = std::move(text), .position = position_};
}

bool Lexer::read_operator(Token& result) {
  for (const std::string_view pair : kPairs) {
    if (!text_.substr(position_).starts_with(pair)) continue;
    position_ += pair.size();
    result = token(Token::Type::op, std::string(pair));
    return true;
  }
  if (!kOperators.contains(peek())) return false;
  ++position_;
  result = token(Token::Type::op, std::string(1, text_[position_ - 1]));
  return true;
}

Token Lexer::next(bool after_operand) {
  skip_space();
  if (position_ >= text_.size()) return token(Token::Type::end, "(end)");
  if (!after_operand && peek() == '/') return read_regex();
  Token result;
  if (read_operator(result)) return result;
  const char c = peek();
  if (c == '"' || c == '\'') return read_string();
  if (is_digit(c)) return read_number();
  if (c == '`') return read_quoted_name();
  return read_name();
}

// Up to the slash that neither a backslash nor a bracket protects, and the flags behind it.
Token Lexer::read_regex() {
  const size_t start = ++position_;
  int depth = 0;
  for (; position_ < text_.size(); ++position_) {
    const char c = text_[position_];
    if (c == '\\') {
      ++position_;
    } else if (c == '/' && depth == 0) {
      const std::string pattern(text_.substr(start, position_ - start));
      if (pattern.empty()) fail("S0301", position_);
      const size_t flags = ++position_;
      while (peek() == 'i' || peek() == 'm') ++position_;
      Token result = token(Token::Type::regex, pattern);
      result.flags = text_.substr(flags, position_ - flags);
      return result;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    }
  }
  fail("S0302", text_.size());
}

char32_t Lexer::read_hex() {
  uint32_t point = 0;
  const std::string_view digits = text_.substr(std::min(position_ + 1, text_.size()), 4);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), point, 16);
  if (digits.size() != 4 || error != std::errc() || end != digits.data() + 4) fail("S0104", position_);
  position_ += 4;
  return point;
}

// At the character behind a backslash; goes to its last one.
void Lexer::read_escape(std::string& out) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char c = peek();
  if (const size_t i = kEscapes.find(c); i != std::string_view::npos) {
    out.push_back(kMeanings[i]);
    return;
  }
  if (c != 'u') fail("S0103", position_, std::string(1, c));
  char32_t point = read_hex();
  if (point >= 0xD800 && point < 0xDC00 && peek(1) == '\\' && peek(2) == 'u') {
    const size_t high_end = position_;
    position_ += 2;
    const char32_t low = read_hex();
    if (low >= 0xDC00 && low < 0xE000) {
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    } else {
      position_ = high_end;
    }
  }
  append_code_point(out, point);
}

Token Lexer::read_string() {
  const char quote = peek();
  std::string out;
  for (++position_; position_ < text_.size(); ++position_) {
    const char c = text_[position_];
    if (c == quote) {
      ++position_;
      return token(Token::Type::string, std::move(out));
    }
    if (c == '\\') {
      ++position_;
      read_escape(out);
    } else {
      out.push_back(c);
    }
  }
  fail("S0101", text_.size());
}

Token Lexer::read_quoted_name() {
  const size_t end = text_.find('`', position_ + 1);
  if (end == std::string_view::npos) fail("S0105", text_.size());
  const std::string name(text_.substr(position_ + 1, end - position_ - 1));
  position_ = end + 1;
  return token(Token::Type::name, name);
}

// As JSON has them: a leading zero stands alone.
Token Lexer::read_number() {
  const size_t start = position_;
  const auto digits = [&] {
    while (is_digit(peek())) ++position_;
  };
  peek() == '0' ? void(++position_) : digits();
  if (peek() == '.' && is_digit(peek(1))) {
    ++position_;
    digits();
  }
  const bool has_sign = peek(1) == '-' || peek(1) == '+';
  if ((peek() == 'e' || peek() == 'E') && is_digit(peek(has_sign ? 2 : 1))) {
    position_ += has_sign ? 2 : 1;
    digits();
  }
  Token result = token(Token::Type::number, std::string(text_.substr(start, position_ - start)));
  result.number = std::strtod(result.text.c_str(), nullptr);
  if (!std::isfinite(result.number)) fail("S0102", position_, result.text);
  return result;
}

Token Lexer::read_name() {
  const size_t start = position_;
  while (position_ < text_.size() && !ends_name(text_[position_])) ++position_;
  const std::string name(text_.substr(start, position_ - start));
  if (name[0] == '$') return token(Token::Type::variable, name.substr(1));
  if (name == "and" || name == "or" || name == "in") return token(Token::Type::op, name);
  if (name == "true" || name == "false" || name == "null") return token(Token::Type::value, name);
  return token(Token::Type::name, name);
}

}  // namespace tidemill::lang::jsonata
