#include "lang/select/lexer.h"

#include "base/text.h"

namespace tidemill::lang::select {
namespace {

using base::cat;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

std::string Lexer::place_of(size_t begin) const {
  size_t line = 1;
  size_t column = 1;
  for (const char c : text_.substr(0, begin)) {
    if (c == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
  }
  return cat("line ", line, ", column ", column);
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      ++at_;
    } else if (text_.substr(at_).starts_with("--")) {
      at_ = std::min(text_.size(), text_.find('\n', at_));
    } else {
      return;
    }
  }
}

void Lexer::read_quoted(char quote, Token::Kind kind) {
  token_.kind = kind;
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] != quote) {
      token_.text.push_back(text_[at_]);
    } else if (at_ + 1 < text_.size() && text_[at_ + 1] == quote) {
      token_.text.push_back(text_[at_++]);
    } else {
      ++at_;
      return;
    }
  }
  throw SelectError("LexerInvalidLiteral",
                    cat("The text that begins at ", place_of(token_.begin), " in the SQL expression does not end."));
}

void Lexer::read_number() {
  token_.kind = Token::Kind::number;
  const size_t begin = at_;
  const auto skip_digits = [&] {
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  };
  skip_digits();
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    skip_digits();
  }
  if (at_ < text_.size() && (text_[at_] | 0x20) == 'e') {
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    skip_digits();
  }
  token_.text = text_.substr(begin, at_ - begin);
}

void Lexer::advance() {
  skip_blanks();
  token_ = {.begin = at_};
  if (at_ >= text_.size()) return;
  const char c = text_[at_];
  if (c == '\'') return read_quoted('\'', Token::Kind::text);
  if (c == '"') return read_quoted('"', Token::Kind::quoted);
  if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return read_number();
  if (begins_word(c)) {
    token_.kind = Token::Kind::word;
    while (at_ < text_.size() && (begins_word(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '$')) ++at_;
    token_.text = text_.substr(token_.begin, at_ - token_.begin);
    token_.upper = token_.text;
    for (char& one : token_.upper) {
      if (one >= 'a' && one <= 'z') one = static_cast<char>(one - 'a' + 'A');
    }
    return;
  }
  token_.kind = Token::Kind::sign;
  for (const std::string_view two : {"<>", "!=", "<=", ">=", "||"}) {
    if (!text_.substr(at_).starts_with(two)) continue;
    at_ += two.size();
    token_.text = token_.upper = two;
    return;
  }
  if (std::string_view("()[],.*+-/%=<>;").find(c) == std::string_view::npos) {
    throw SelectError("LexerInvalidChar",
                      cat("The SQL expression contains a character that is not valid at ", place_of(at_), "."));
  }
  ++at_;
  token_.text = token_.upper = std::string(1, c);
}

}  // namespace tidemill::lang::select
