#include <charconv>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "lang/metrics/expression.h"
#include "lang/metrics/node.h"

namespace tidemill::lang::metrics {
namespace {

using base::cat;
using NodePtr = std::shared_ptr<const Node>;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

std::string capitals(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return out;
}

struct Token {
  enum class Kind { end, number, text, word, sign } kind = Kind::end;
  std::string text;
  double number = 0;
};

// Operators that bind alike, the weakest first.
const std::vector<std::vector<std::string_view>> kLevels = {
    {"OR", "||"}, {"AND", "&&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/"}};

}  // namespace

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) { advance(); }

  Expression parse() {
    if (text_.size() > kExpressionSizeMax) fail(cat("it is longer than ", kExpressionSizeMax, " characters"));
    expression_.root_ = binary(0);
    if (token_.kind != Token::Kind::end) fail(cat("unexpected '", token_.text, "'"));
    return std::move(expression_);
  }

 private:
  [[noreturn]] static void fail(const std::string& what) { throw ExpressionError(cat("Syntax error: ", what)); }

  // How deep the recursion is, while it lives.
  class Level {
   public:
    explicit Level(int& depth) : depth_(depth) {
      if (++depth_ > kExpressionDepthMax) fail("it is nested too deep");
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;

   private:
    int& depth_;
  };

  void advance() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    token_ = {};
    if (at_ == text_.size()) return;
    const char c = text_[at_];
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number();
    if (is_letter(c)) return word();
    if (c == '"' || c == '\'') return quoted(c);
    for (const std::string_view sign : {"==", "!=", "<=", ">=", "&&", "||"}) {
      if (text_.substr(at_).starts_with(sign)) return take_sign(sign.size());
    }
    if (std::string_view("+-*/^()[],<>").find(c) == std::string_view::npos) fail(cat("unexpected '", c, "'"));
    take_sign(1);
  }

  void take_sign(size_t size) {
    token_ = {.kind = Token::Kind::sign, .text = std::string(text_.substr(at_, size))};
    at_ += size;
  }

  void number() {
    const char* begin = text_.data() + at_;
    double value = 0;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) fail("a number is out of range");
    token_ = {.kind = Token::Kind::number, .text = std::string(begin, end), .number = value};
    at_ += static_cast<size_t>(end - begin);
  }

  void word() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    token_ = {.kind = Token::Kind::word, .text = std::string(text_.substr(begin, at_ - begin))};
  }

  void quoted(char quote) {
    token_.kind = Token::Kind::text;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      token_.text.push_back(text_[at_]);
    }
    if (at_ == text_.size()) fail("a text does not end");
    ++at_;
  }

  [[nodiscard]] bool is_sign(std::string_view sign) const {
    return token_.kind == Token::Kind::sign && token_.text == sign;
  }
  void expect(std::string_view sign) {
    if (!is_sign(sign)) fail(cat("'", sign, "' is missing"));
    advance();
  }

  [[nodiscard]] std::optional<std::string> operator_of(size_t level) const {
    if (token_.kind != Token::Kind::sign && token_.kind != Token::Kind::word) return std::nullopt;
    for (const std::string_view sign : kLevels[level]) {
      if (token_.text != sign) continue;
      return std::string(sign == "||" ? "OR" : sign == "&&" ? "AND" : sign);
    }
    return std::nullopt;
  }

  NodePtr binary(size_t level) {
    if (level == kLevels.size()) return unary();
    const Level deeper(depth_);
    NodePtr left = binary(level + 1);
    int count = 0;
    while (const auto sign = operator_of(level)) {
      // What is chained here is nested when it is evaluated.
      if (++count > kExpressionDepthMax) fail("it is nested too deep");
      advance();
      left = std::make_shared<const Node>(
          Node{.kind = NodeKind::binary, .name = *sign, .parts = {std::move(left), binary(level + 1)}});
    }
    return left;
  }

  NodePtr unary() {
    const Level deeper(depth_);
    if (is_sign("-")) {
      advance();
      return std::make_shared<const Node>(Node{.kind = NodeKind::unary_minus, .parts = {unary()}});
    }
    if (is_sign("+")) {
      advance();
      return unary();
    }
    NodePtr left = primary();
    if (!is_sign("^")) return left;
    advance();
    return std::make_shared<const Node>(
        Node{.kind = NodeKind::binary, .name = "^", .parts = {std::move(left), unary()}});
  }

  NodePtr primary() {
    const Level deeper(depth_);
    Node node;
    switch (token_.kind) {
      case Token::Kind::number:
        node = {.kind = NodeKind::number, .number = token_.number};
        advance();
        break;
      case Token::Kind::text:
        node = {.kind = NodeKind::text, .name = token_.text};
        advance();
        break;
      case Token::Kind::word:
        return named();
      case Token::Kind::sign:
        if (is_sign("(")) {
          advance();
          NodePtr inner = binary(0);
          expect(")");
          return inner;
        }
        if (!is_sign("[")) fail(cat("unexpected '", token_.text, "'"));
        advance();
        node = {.kind = NodeKind::array, .parts = list("]")};
        break;
      case Token::Kind::end:
        fail("it ends too early");
    }
    return std::make_shared<const Node>(std::move(node));
  }

  std::vector<NodePtr> list(std::string_view end) {
    std::vector<NodePtr> parts;
    if (!is_sign(end)) {
      parts.push_back(binary(0));
      while (is_sign(",")) {
        advance();
        parts.push_back(binary(0));
      }
    }
    expect(end);
    return parts;
  }

  NodePtr named() {
    const std::string name = token_.text;
    advance();
    if (!is_sign("(")) {
      if (!is_option_word(name)) expression_.ids_.insert(name);
      return std::make_shared<const Node>(Node{.kind = NodeKind::word, .name = name});
    }
    advance();
    Node call{.kind = NodeKind::call, .name = capitals(name), .parts = list(")")};
    check_call(call.name, call.parts.size());
    if (call.name == "METRICS") expression_.uses_metrics_ = true;
    if (call.name == "SEARCH") {
      call.search = search_of(call);
      expression_.searches_.insert(call.search);
    }
    return std::make_shared<const Node>(std::move(call));
  }

  static SearchCall search_of(const Node& call) {
    const Node& text = *call.parts[0];
    const Node& statistic = *call.parts[1];
    if (text.kind != NodeKind::text || statistic.kind != NodeKind::text) {
      throw ExpressionError("SEARCH takes a search expression and a statistic, in quotes");
    }
    SearchCall search{.text = text.name, .statistic = statistic.name};
    if (call.parts.size() == 3) {
      const Node& period = *call.parts[2];
      if (period.kind != NodeKind::number || period.number < 1 || period.number > 86'400 ||
          period.number != std::floor(period.number)) {
        throw ExpressionError("The period of a SEARCH must be a number of seconds");
      }
      search.period = static_cast<int64_t>(period.number);
    }
    return search;
  }

  std::string_view text_;
  size_t at_ = 0;
  Token token_;
  int depth_ = 0;
  Expression expression_;
};

Expression Expression::parse(std::string_view text) { return ExpressionParser(text).parse(); }

}  // namespace tidemill::lang::metrics
