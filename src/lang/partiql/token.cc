#include "lang/partiql/token.h"

#include <algorithm>
#include <charconv>

#include "lang/partiql/statement.h"

namespace tidemill::lang::partiql::detail {

namespace {

// Longer ones before those they begin with.
constexpr std::string_view kSymbols[] = {"<<", ">>", "<=", ">=", "<>", "!=", "||", "=", "<", ">", "(", ")", "[",
                                         "]",  "{",  "}",  ",",  ".",  ":",  ";",  "+", "-", "*", "/", "%"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    for (skip_space(); at_ < text_.size(); skip_space()) {
      begin_ = at_;
      token();
    }
    begin_ = at_;
    add(TokenKind::end, {});
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  [[nodiscard]] bool begins(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void add(TokenKind kind, std::string text) {
    tokens_.push_back({kind, std::move(text), static_cast<uint32_t>(begin_), static_cast<uint32_t>(at_)});
  }

  void skip_space() {
    for (;;) {
      if (is_space(peek())) {
        ++at_;
      } else if (begins("--")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (begins("/*")) {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) refuse_syntax();
        at_ = end + 2;
      } else {
        return;
      }
    }
  }

  void token() {
    const char c = peek();
    if (c == '\'') return add(TokenKind::string, quoted('\''));
    if (c == '"') return add(TokenKind::quoted, quoted('"'));
    if (is_digit(c) || (c == '.' && is_digit(peek(1)) && !after_name())) return number();
    if (is_letter(c)) return word();
    if (c == '?') {
      ++at_;
      return add(TokenKind::parameter, "?");
    }
    for (const std::string_view symbol : kSymbols) {
      if (!begins(symbol)) continue;
      at_ += symbol.size();
      return add(TokenKind::symbol, std::string(symbol));
    }
    refuse_syntax();
  }

  // Whether a dot here goes on with a path.
  [[nodiscard]] bool after_name() const {
    if (tokens_.empty()) return false;
    const Token& last = tokens_.back();
    return last.end == at_ && (last.kind == TokenKind::identifier || last.kind == TokenKind::quoted || last.is("]"));
  }

  // Up to the closing quote; two quotes stand for one.
  std::string quoted(char quote) {
    std::string value;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != quote) {
        value.push_back(text_[at_]);
      } else if (peek(1) == quote) {
        value.push_back(quote);
        ++at_;
      } else {
        ++at_;
        return value;
      }
    }
    refuse_syntax();
  }

  size_t digits() {
    const size_t first = at_;
    while (is_digit(peek())) ++at_;
    return at_ - first;
  }

  void number() {
    (void)digits();
    size_t scale = 0;
    if (peek() == '.') {
      ++at_;
      scale = digits();
    }
    if (peek() == 'e' || peek() == 'E') exponent(scale);
    add(TokenKind::number, std::string(text_.substr(begin_, at_ - begin_)));
  }

  // AWS keeps the exponent, and the digits after the point less the exponent, in 32 bits each.
  void exponent(size_t scale) {
    ++at_;
    const bool negative = peek() == '-';
    if (negative || peek() == '+') ++at_;
    const size_t first = at_;
    if (digits() == 0) refuse_syntax();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + first, text_.data() + at_, value);
    if (error != std::errc() || value > INT32_MAX) refuse_syntax();
    if (static_cast<int64_t>(scale) - (negative ? -value : value) > INT32_MAX) refuse_syntax();
  }

  void word() {
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    std::string text(text_.substr(begin_, at_ - begin_));
    std::string in_upper_case = upper(text);
    if (is_reserved(in_upper_case)) return add(TokenKind::keyword, std::move(in_upper_case));
    add(TokenKind::identifier, std::move(text));
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t begin_ = 0;
  std::vector<Token> tokens_;
};

// Characters of UTF-8.
size_t characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Tokenizer(text).run(); }

std::string upper(std::string_view word) {
  std::string text(word);
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string lower(std::string_view word) {
  std::string text(word);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

void refuse_syntax(std::string_view detail) {
  throw StatementError(std::string("Statement wasn't well formed, can't be processed: ").append(detail));
}

std::string position(std::string_view text, const Token& token) {
  const std::string_view before = text.substr(0, token.begin);
  const size_t line = 1 + static_cast<size_t>(std::ranges::count(before, '\n'));
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return " at " + std::to_string(line) + ":" + std::to_string(characters(before.substr(line_begin)) + 1) + ":" +
         std::to_string(characters(text.substr(token.begin, token.end - token.begin)));
}

}  // namespace tidemill::lang::partiql::detail
