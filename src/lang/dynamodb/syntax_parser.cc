// The grammar: from text to tokens to the syntax tree.
#include <algorithm>
#include <array>

#include "lang/dynamodb/syntax.h"

namespace tidemill::lang::dynamodb::detail {
namespace {

// What is nested deeper than this in kExpressionSizeMax bytes has redundant parentheses: one operator between two of
// them takes at least seven bytes.
constexpr int kSyntaxDepthMax = static_cast<int>(kExpressionSizeMax) / 7 + kOperatorsMax;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

struct KeywordEntry {
  std::string_view word;
  TokenKind kind;
};

constexpr std::array<KeywordEntry, 5> kConditionKeywords = {{{"AND", TokenKind::key_and},
                                                             {"OR", TokenKind::key_or},
                                                             {"NOT", TokenKind::key_not},
                                                             {"BETWEEN", TokenKind::key_between},
                                                             {"IN", TokenKind::key_in}}};
constexpr std::array<KeywordEntry, 4> kUpdateKeywords = {{{"SET", TokenKind::key_set},
                                                          {"REMOVE", TokenKind::key_remove},
                                                          {"ADD", TokenKind::key_add},
                                                          {"DELETE", TokenKind::key_delete}}};

bool equals_upper(std::string_view text, std::string_view upper) {
  return std::ranges::equal(text, upper, {},
                            [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
}

TokenKind word_kind(std::string_view word, ExpressionKind kind) {
  if (kind == ExpressionKind::projection) return TokenKind::identifier;
  if (kind == ExpressionKind::update) {
    for (const auto& [keyword, token] : kUpdateKeywords) {
      if (equals_upper(word, keyword)) return token;
    }
  } else {
    for (const auto& [keyword, token] : kConditionKeywords) {
      if (equals_upper(word, keyword)) return token;
    }
  }
  return TokenKind::identifier;
}

std::vector<Token> tokens_of(std::string_view text, ExpressionKind kind) {
  std::vector<Token> tokens;
  tokens.reserve(text.size() / 3 + 2);
  const auto size = static_cast<uint32_t>(text.size());
  const auto at = [&](uint32_t i) { return i < size ? text[i] : '\0'; };
  for (uint32_t i = 0; i < size;) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++i;
      continue;
    }
    const uint32_t begin = i++;
    TokenKind token = TokenKind::invalid;
    if (is_letter(c)) {
      while (i < size && is_word(text[i])) ++i;
      token = word_kind(text.substr(begin, i - begin), kind);
    } else if (is_digit(c)) {
      while (c != '0' && i < size && is_digit(text[i])) ++i;
      token = TokenKind::integer;
    } else {
      switch (c) {
        case '#':
        case ':':
          while (i < size && is_word(text[i])) ++i;
          if (i > begin + 1) token = c == '#' ? TokenKind::name : TokenKind::value;
          break;
        case '<':
          token = at(i) == '>' ? TokenKind::not_equal : at(i) == '=' ? TokenKind::less_equal : TokenKind::less;
          if (token != TokenKind::less) ++i;
          break;
        case '>':
          token = at(i) == '=' ? TokenKind::greater_equal : TokenKind::greater;
          if (token != TokenKind::greater) ++i;
          break;
        case '=':
          token = TokenKind::equal;
          break;
        case '(':
          token = TokenKind::open;
          break;
        case ')':
          token = TokenKind::close;
          break;
        case '[':
          token = TokenKind::open_bracket;
          break;
        case ']':
          token = TokenKind::close_bracket;
          break;
        case ',':
          token = TokenKind::comma;
          break;
        case '.':
          token = TokenKind::dot;
          break;
        case '+':
          token = TokenKind::plus;
          break;
        case '-':
          token = TokenKind::minus;
          break;
        default:  // a whole character, so that messages stay UTF-8
          while (i < size && (static_cast<uint8_t>(text[i]) & 0xc0) == 0x80) ++i;
      }
    }
    tokens.push_back({token, begin, i});
  }
  tokens.push_back({TokenKind::end, size, size});
  return tokens;
}

bool is_comparator(TokenKind kind) { return kind >= TokenKind::equal && kind <= TokenKind::greater_equal; }

}  // namespace

// Recursive descent; its depth is bounded by kSyntaxDepthMax.
class SyntaxParser {
 public:
  SyntaxParser(std::string_view text, ExpressionKind kind) : syntax_(text, kind), tokens_(syntax_.tokens_) {
    if (text.empty()) syntax_.refuse_more_in_writes("The expression can not be empty;");
    if (text.size() > kExpressionSizeMax) {
      syntax_.refuse("Expression size has exceeded the maximum allowed size; expression size: " +
                     std::to_string(text.size()));
    }
    tokens_ = tokens_of(text, kind);
    syntax_.nodes_.reserve(tokens_.size());
  }

  Syntax condition() {
    syntax_.root = any_of();
    require_condition(syntax_.root);
    expect_end();
    return std::move(syntax_);
  }

  Syntax projection() {
    do syntax_.projected.push_back(path());
    while (accept(TokenKind::comma));
    expect_end();
    return std::move(syntax_);
  }

  Syntax update() {
    do {
      const TokenKind section = kind();
      if (section < TokenKind::key_set || section > TokenKind::key_delete) fail();
      const uint32_t section_token = at_++;
      do syntax_.actions.push_back(action(section, section_token));
      while (accept(TokenKind::comma));
    } while (kind() != TokenKind::end);
    return std::move(syntax_);
  }

 private:
  [[nodiscard]] TokenKind kind(uint32_t ahead = 0) const {
    return tokens_[std::min<size_t>(at_ + ahead, tokens_.size() - 1)].kind;
  }
  bool accept(TokenKind wanted) {
    if (kind() != wanted) return false;
    ++at_;
    return true;
  }
  uint32_t expect(TokenKind wanted) {
    if (kind() != wanted) fail();
    return at_++;
  }
  void expect_end() {
    if (kind() != TokenKind::end) fail();
  }

  // A syntax error at the current token; "near" reaches from the token before to the token after.
  [[noreturn]] void fail() const {
    const Token& token = tokens_[at_];
    const uint32_t from = at_ > 0 ? tokens_[at_ - 1].begin : 0;
    const uint32_t to = at_ + 1 < tokens_.size() ? tokens_[at_ + 1].end : token.end;
    const std::string_view text = token.kind == TokenKind::end ? "<EOF>" : syntax_.token_text(at_);
    syntax_.refuse("Syntax error; token: \"" + std::string(text) + "\", near: \"" +
                   std::string(syntax_.text_.substr(from, to - from)) + "\"");
  }

  class Nested {
   public:
    explicit Nested(SyntaxParser& parser) : parser_(parser) {
      if (++parser_.depth_ > kSyntaxDepthMax) parser_.refuse_parentheses();
    }
    ~Nested() { --parser_.depth_; }

   private:
    SyntaxParser& parser_;
  };

  [[noreturn]] void refuse_parentheses() const { syntax_.refuse("The expression has redundant parentheses;"); }

  void count_operator() {
    if (++operators_ > kOperatorsMax) {
      syntax_.refuse("The expression contains too many operators; operator count: " + std::to_string(operators_));
    }
  }

  uint32_t add(SyntaxNode node) {
    syntax_.nodes_.push_back(node);
    return static_cast<uint32_t>(syntax_.nodes_.size() - 1);
  }

  uint32_t add_operator(NodeKind kind, uint32_t token, std::initializer_list<uint32_t> children) {
    count_operator();
    return add_with_children(kind, token, children);
  }

  uint32_t add_with_children(NodeKind kind, uint32_t token, std::initializer_list<uint32_t> children) {
    const uint32_t parent = add({.kind = kind, .token = token});
    uint32_t last = kNone;
    for (const uint32_t child : children) last = add_child(parent, last, child);
    return parent;
  }

  // Returns the child, to be handed in as `last` with the next one.
  uint32_t add_child(uint32_t parent, uint32_t last, uint32_t child) {
    (last == kNone ? syntax_.nodes_[parent].first_child : syntax_.nodes_[last].next) = child;
    ++syntax_.nodes_[parent].child_count;
    return child;
  }

  [[nodiscard]] bool is_operand(uint32_t node) const {
    const NodeKind kind = syntax_.nodes_[node].kind;
    return kind == NodeKind::path || kind == NodeKind::value;
  }

  // Where a condition must stand, a bare operand is an error at the token where a comparator should be.
  void require_condition(uint32_t node) const {
    if (is_operand(node)) fail();
  }
  void require_operand(uint32_t node) const {
    if (!is_operand(node) && syntax_.nodes_[node].kind != NodeKind::call) fail();
  }

  // Conditions and operands share parentheses: each of these returns either, and its caller says what it needs.

  uint32_t any_of() {
    uint32_t left = all_of();
    while (kind() == TokenKind::key_or) {
      require_condition(left);
      const uint32_t token = at_++;
      const uint32_t right = all_of();
      require_condition(right);
      left = add_operator(NodeKind::any_of, token, {left, right});
    }
    return left;
  }

  uint32_t all_of() {
    uint32_t left = negation();
    while (kind() == TokenKind::key_and) {
      require_condition(left);
      const uint32_t token = at_++;
      const uint32_t right = negation();
      require_condition(right);
      left = add_operator(NodeKind::all_of, token, {left, right});
    }
    return left;
  }

  uint32_t negation() {
    if (kind() != TokenKind::key_not) return comparison();
    const Nested nested(*this);
    count_operator();
    const uint32_t token = at_++;
    const uint32_t inner = negation();
    require_condition(inner);
    return add_with_children(NodeKind::negate, token, {inner});
  }

  uint32_t comparison() {
    const uint32_t left = primary();
    const TokenKind next = kind();
    if (!is_comparator(next) && next != TokenKind::key_between && next != TokenKind::key_in) return left;
    require_operand(left);
    const uint32_t token = at_++;
    if (is_comparator(next)) return add_operator(NodeKind::compare, token, {left, operand()});
    if (next == TokenKind::key_between) {
      const uint32_t low = operand();
      expect(TokenKind::key_and);
      return add_operator(NodeKind::between, token, {left, low, operand()});
    }
    expect(TokenKind::open);
    const uint32_t in = add_operator(NodeKind::in, token, {left});
    operand_list(in, left);
    return in;
  }

  uint32_t primary() {
    if (kind() != TokenKind::open) return simple_operand();
    const Nested nested(*this);
    ++at_;
    const uint32_t inner = any_of();
    expect(TokenKind::close);
    return parenthesized(inner);
  }

  uint32_t operand() {
    if (kind() != TokenKind::open) return simple_operand();
    const Nested nested(*this);
    ++at_;
    const uint32_t inner = operand();
    expect(TokenKind::close);
    return parenthesized(inner);
  }

  uint32_t parenthesized(uint32_t inner) {
    if (std::exchange(syntax_.nodes_[inner].parenthesized, true)) refuse_parentheses();
    return inner;
  }

  uint32_t simple_operand() {
    if (kind() == TokenKind::value) return add({.kind = NodeKind::value, .token = at_++});
    if (kind() == TokenKind::identifier && kind(1) == TokenKind::open) return call();
    return path();
  }

  uint32_t call() {
    const Nested nested(*this);
    const uint32_t node = add({.kind = NodeKind::call, .token = at_});
    at_ += 2;
    operand_list(node, kNone);
    return node;
  }

  // Operands up to the closing parenthesis, as children of `parent` behind `last`.
  void operand_list(uint32_t parent, uint32_t last) {
    do last = add_child(parent, last, operand());
    while (accept(TokenKind::comma));
    expect(TokenKind::close);
  }

  uint32_t path() {
    if (kind() != TokenKind::identifier && kind() != TokenKind::name) fail();
    const uint32_t node =
        add({.kind = NodeKind::path, .token = at_, .first_step = static_cast<uint32_t>(syntax_.steps_.size())});
    syntax_.steps_.push_back({at_++, false});
    while (true) {
      if (accept(TokenKind::dot)) {
        if (kind() != TokenKind::identifier && kind() != TokenKind::name) fail();
        syntax_.steps_.push_back({at_++, false});
      } else if (accept(TokenKind::open_bracket)) {
        syntax_.steps_.push_back({expect(TokenKind::integer), true});
        expect(TokenKind::close_bracket);
      } else {
        break;
      }
    }
    syntax_.nodes_[node].step_count = static_cast<uint32_t>(syntax_.steps_.size()) - syntax_.nodes_[node].first_step;
    return node;
  }

  SyntaxAction action(TokenKind section, uint32_t section_token) {
    SyntaxAction action{section, section_token, path(), kNone};
    if (section == TokenKind::key_set) {
      expect(TokenKind::equal);
      action.operand = set_operand();
    } else if (section != TokenKind::key_remove) {
      action.operand = add({.kind = NodeKind::value, .token = expect(TokenKind::value)});
    }
    return action;
  }

  // An operand, or a sum or a difference of two, which may stand in parentheses.
  uint32_t set_operand() {
    const uint32_t left = kind() == TokenKind::open ? grouped_set_operand() : operand();
    const NodeKind left_kind = syntax_.nodes_[left].kind;
    if ((kind() != TokenKind::plus && kind() != TokenKind::minus) || left_kind == NodeKind::plus ||
        left_kind == NodeKind::minus) {
      return left;
    }
    const uint32_t token = at_++;
    return add_operator(tokens_[token].kind == TokenKind::plus ? NodeKind::plus : NodeKind::minus, token,
                        {left, operand()});
  }

  uint32_t grouped_set_operand() {
    const Nested nested(*this);
    ++at_;
    const uint32_t inner = set_operand();
    expect(TokenKind::close);
    return parenthesized(inner);
  }

  Syntax syntax_;
  std::vector<Token>& tokens_;
  uint32_t at_ = 0;
  int depth_ = 0;
  int operators_ = 0;
};

Syntax Syntax::parse(std::string_view text, ExpressionKind kind) {
  SyntaxParser parser(text, kind);
  switch (kind) {
    case ExpressionKind::projection:
      return parser.projection();
    case ExpressionKind::update:
      return parser.update();
    default:
      return parser.condition();
  }
}

}  // namespace tidemill::lang::dynamodb::detail
