#include "lang/insights/lexer.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace tidemill::lang::insights {
namespace {

using base::cat;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}
bool is_word_part(char c) { return begins_word(c) || is_digit(c) || c == '.'; }

}  // namespace

std::string small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return out;
}

void Lexer::fail_at(const std::string& message, size_t begin, size_t end) { throw QueryError(message, begin, end); }
void Lexer::fail(const std::string& message) const { fail_at(message, token_.begin, token_.end); }

void Lexer::fail_unexpected() const {
  if (token_.kind == Token::Kind::end) fail("unexpected end of the query");
  const std::string_view before = text_.substr(0, token_.begin);
  const size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  fail(cat("unexpected symbol found ", between(token_.begin, token_.end), " at line ",
           1 + std::ranges::count(before, '\n'), " and position ", token_.begin - line_begin));
}

void Lexer::skip_space() {
  while (at_ < text_.size()) {
    if (is_space(text_[at_])) {
      ++at_;
    } else if (text_[at_] == '#') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  last_end_ = token_.end;
  skip_space();
  token_ = {.begin = at_, .end = at_};
  if (at_ == text_.size()) return;
  const char c = text_[at_];
  if (c == '"' || c == '\'') return read_quoted(c, Token::Kind::text);
  if (c == '`') return read_quoted(c, Token::Kind::quoted_word);
  if (begins_word(c)) {
    while (at_ < text_.size() && is_word_part(text_[at_])) ++at_;
    token_.kind = Token::Kind::word;
  } else if (is_digit(c)) {
    const char* begin = text_.data() + at_;
    const auto [end, error] =
        std::from_chars(begin, text_.data() + text_.size(), token_.number, std::chars_format::fixed);
    if (error != std::errc()) fail_at("a number is out of range", at_, at_ + 1);
    at_ += static_cast<size_t>(end - begin);
    token_.kind = Token::Kind::number;
  } else {
    static constexpr std::string_view kSigns[] = {"!=", "<=", ">=", "=~", "|", "(", ")", "[", "]", ",",
                                                  "=",  "<",  ">",  "+",  "-", "*", "/", "%", "^"};
    const auto found = std::ranges::find_if(kSigns, [&](auto sign) { return text_.substr(at_).starts_with(sign); });
    at_ += found == std::end(kSigns) ? 1 : found->size();
    token_.kind = Token::Kind::sign;
  }
  token_.end = at_;
  token_.text = between(token_.begin, token_.end);
}

void Lexer::read_quoted(char quote, Token::Kind kind) {
  token_.kind = kind;
  for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
    // Only quotes and the backslash itself are escaped; others belong to what the text means, a pattern say.
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (text_[at_] == '\\' && (next == quote || next == '\\')) ++at_;
    token_.text.push_back(text_[at_]);
  }
  if (at_ == text_.size()) fail_at("a text in quotes does not end", token_.begin, text_.size());
  token_.end = ++at_;
}

void Lexer::expect_operand() {
  if (is_sign("/")) read_regex();
}

void Lexer::read_regex() {
  at_ = token_.begin + 1;
  token_.kind = Token::Kind::regex;
  token_.text.clear();
  bool is_in_class = false;
  for (; at_ < text_.size() && (text_[at_] != '/' || is_in_class); ++at_) {
    const char c = text_[at_];
    if (c == '\\' && at_ + 1 < text_.size()) {
      if (text_[at_ + 1] != '/') token_.text.push_back(c);
      ++at_;
    } else if (c == '[') {
      is_in_class = true;
    } else if (c == ']') {
      is_in_class = false;
    }
    token_.text.push_back(text_[at_]);
  }
  if (at_ == text_.size()) fail_at("a regular expression does not end", token_.begin, text_.size());
  token_.end = ++at_;
}

bool Lexer::is_word(std::string_view word) const {
  return token_.kind == Token::Kind::word && small_letters(token_.text) == word;
}

bool Lexer::accept_word(std::string_view word) {
  if (!is_word(word)) return false;
  advance();
  return true;
}

bool Lexer::accept_sign(std::string_view sign) {
  if (!is_sign(sign)) return false;
  advance();
  return true;
}

void Lexer::expect_sign(std::string_view sign) {
  if (!accept_sign(sign)) fail_unexpected();
}

}  // namespace tidemill::lang::insights
