// The grammar, by the binding powers of its operators (Pratt's top-down operator precedence).
#include <algorithm>
#include <map>

#include "lang/jsonata/ast.h"
#include "lang/jsonata/error.h"
#include "lang/jsonata/functions.h"
#include "lang/jsonata/jsonata.h"
#include "lang/jsonata/lexer.h"
#include "lang/jsonata/text.h"

namespace tidemill::lang::jsonata {

namespace {

// How strongly an operator takes what stands left of it; 0: not at all.
int binding_power(const Token& token) {
  if (token.type != Token::Type::op) return 0;
  static const std::map<std::string_view, int> kPowers = {
      {".", 75},  {"[", 80},  {"{", 70},  {"(", 80},  {"@", 80},  {"#", 80},   {"?", 20},  {"+", 50},  {"-", 50},
      {"*", 60},  {"/", 60},  {"%", 60},  {"=", 40},  {"<", 40},  {">", 40},   {"^", 40},  {":=", 10}, {"!=", 40},
      {"<=", 40}, {">=", 40}, {"~>", 40}, {"?:", 40}, {"??", 40}, {"and", 30}, {"or", 25}, {"in", 40}, {"&", 50}};
  const auto found = kPowers.find(token.text);
  return found == kPowers.end() ? 0 : found->second;
}

constexpr int kNegatePower = 70;
constexpr int kBindPower = 10;
constexpr int kVariablePower = 80;  // of what follows @ and #

Op binary_op(std::string_view text) {
  static const std::map<std::string_view, Op> kOps = {
      {"+", Op::add},         {"-", Op::subtract}, {"*", Op::multiply},       {"/", Op::divide},
      {"%", Op::modulo},      {"=", Op::equal},    {"!=", Op::unequal},       {"<", Op::less},
      {"<=", Op::less_equal}, {">", Op::greater},  {">=", Op::greater_equal}, {"&", Op::concat},
      {"..", Op::range},      {"in", Op::in},      {"and", Op::both},         {"or", Op::either}};
  const auto found = kOps.find(text);
  return found == kOps.end() ? Op::none : found->second;
}

class Parser {
 public:
  Parser(Ast& ast, std::string_view text) : ast_(ast), lexer_(text) {}

  Node* parse() {
    advance(false);
    Node* const root = expression(0);
    if (next_.type != Token::Type::end) fail("S0201");
    return root;
  }

 private:
  [[noreturn]] void fail(std::string_view code, std::string second = {}) const { fail_at(next_, code, second); }
  [[noreturn]] static void fail_at(const Token& token, std::string_view code, std::string second = {}) {
    throw JsonataError(code, {.token = token.text, .position = static_cast<int64_t>(token.position), .second = second});
  }

  void advance(bool after_operand) {
    next_ = lexer_.next(after_operand);
    if (is_op("!") || is_op("~")) fail("S0204");
  }
  void expect(std::string_view op, bool after_operand = false) {
    if (!is_op(op)) fail(next_.type == Token::Type::end ? "S0203" : "S0202", std::string(op));
    advance(after_operand);
  }
  [[nodiscard]] bool is_op(std::string_view op) const { return next_.type == Token::Type::op && next_.text == op; }
  bool accept(std::string_view op) {
    if (!is_op(op)) return false;
    advance(false);
    return true;
  }

  Node* make(NodeType type, const Token& token) {
    Node* const node = ast_.make(type, token.position);
    node->text = ast_.keep(token.text);
    return node;
  }
  // A tree as high as this would overflow the stack of whoever walks it.
  Node* measured(Node* node, const Token& token) const {
    int height = 0;
    const auto see = [&](const Node* child) {
      if (child) height = std::max(height, child->height);
    };
    see(node->lhs);
    see(node->rhs);
    see(node->third);
    std::ranges::for_each(node->items, see);
    for (const auto& [key, value] : node->pairs) see(key), see(value);
    node->height = height + 1;
    if (node->height > kExpressionHeightMax) fail_at(token, "U1001");
    return node;
  }

  Node* expression(int power) {
    if (++depth_ > kExpressionHeightMax) fail("U1001");
    Token token = std::move(next_);
    advance(!wants_operand(token));
    Node* left = measured(prefix(token), token);
    while (power < binding_power(next_)) {
      token = std::move(next_);
      advance(false);
      left = measured(infix(token, left), token);
    }
    --depth_;
    return left;
  }

  [[nodiscard]] static bool wants_operand(const Token& token) {
    constexpr std::string_view kOpening[] = {"-", "(", "[", "{", "|"};
    return token.type == Token::Type::op && contains(kOpening, token.text);
  }
  Node* prefix(const Token& token) {
    switch (token.type) {
      case Token::Type::end:
        return make(NodeType::end, token);
      case Token::Type::name:
        return make(NodeType::name, token);
      case Token::Type::string:
        return make(NodeType::string, token);
      case Token::Type::value:
        return make(NodeType::constant, token);
      case Token::Type::variable:
        return variable(token);
      case Token::Type::number:
        return number(token);
      case Token::Type::regex:
        return regex(token);
      case Token::Type::op:
        return prefix_operator(token);
    }
    std::abort();
  }
  Node* variable(const Token& token) {
    Node* const node = make(NodeType::variable, token);
    node->builtin = find_builtin(node->text);
    return node;
  }
  Node* number(const Token& token) {
    Node* const node = make(NodeType::number, token);
    node->number = token.number;
    return node;
  }
  Node* regex(const Token& token) {
    Node* const node = make(NodeType::regex, token);
    try {
      node->regex = std::make_shared<const Regex>(token.text, token.flags);
    } catch (JsonataError& error) {
      error.locate({}, static_cast<int64_t>(token.position));
      throw;
    }
    return node;
  }

  Node* prefix_operator(const Token& token) {
    if (token.text == "-") return negation(token);
    if (token.text == "(") return block(token);
    if (token.text == "[") return array(token);
    if (token.text == "{") return object(token);
    if (token.text == "|") return transform(token);
    if (token.text == "*") return make(NodeType::wildcard, token);
    if (token.text == "**") return make(NodeType::descendant, token);
    if (token.text == "%") return make(NodeType::parent, token);
    if (token.text == "and" || token.text == "or" || token.text == "in") return make(NodeType::word, token);
    fail_at(token, "S0211");
  }
  Node* negation(const Token& token) {
    Node* const node = make(NodeType::negate, token);
    node->lhs = expression(kNegatePower);
    return node;
  }
  Node* block(const Token& token) {
    Node* const node = make(NodeType::block, token);
    while (!is_op(")")) {
      node->items.push_back(expression(0));
      if (!accept(";")) break;
    }
    expect(")", true);
    return node;
  }
  Node* array(const Token& token) {
    Node* const node = make(NodeType::array, token);
    if (!is_op("]")) {
      do {
        node->items.push_back(element());
      } while (accept(","));
    }
    expect("]", true);
    return node;
  }
  Node* element() {
    Node* const item = expression(0);
    if (!is_op("..")) return item;
    const Token token = next_;
    advance(false);
    return binary(token, item, expression(0));
  }
  Node* object(const Token& token) {
    Node* const node = make(NodeType::object, token);
    if (!is_op("}")) {
      do {
        Node* const key = expression(0);
        expect(":");
        node->pairs.emplace_back(key, expression(0));
      } while (accept(","));
    }
    expect("}", true);
    return node;
  }
  Node* transform(const Token& token) {
    Node* const node = make(NodeType::transform, token);
    node->lhs = expression(0);
    expect("|");
    node->rhs = expression(0);
    if (accept(",")) node->third = expression(0);
    expect("|", true);
    return node;
  }

  Node* binary(const Token& token, Node* left, Node* right, NodeType type = NodeType::binary) {
    Node* const node = make(type, token);
    node->op = binary_op(token.text);
    node->lhs = left;
    node->rhs = right;
    return measured(node, token);
  }

  Node* infix(const Token& token, Node* left) {
    const std::string_view op = token.text;
    if (op == "(") return call(token, left);
    if (op == "[") return predicate(token, left);
    if (op == "{") return binary(token, left, measured(object(token), token), NodeType::group);
    if (op == "^") return order(token, left);
    if (op == "?") return condition(token, left);
    if (op == ":=") return bind(token, left);
    if (op == "@" || op == "#") return binding_of_step(token, left);
    Node* const right = expression(binding_power(token));
    if (op == ".") return binary(token, left, right, NodeType::dot);
    if (op == "~>") return binary(token, left, right, NodeType::apply);
    return binary(token, left, right);
  }
  Node* predicate(const Token& token, Node* left) {
    if (is_op("]")) {  // []: the step remains an array
      Node* step = left;
      while (step->type == NodeType::predicate) step = step->lhs;
      step->keep_array = true;
      advance(true);
      return left;
    }
    Node* const filter = expression(0);
    expect("]", true);
    return binary(token, left, filter, NodeType::predicate);
  }
  Node* order(const Token& token, Node* left) {
    Node* const node = make(NodeType::order, token);
    node->lhs = left;
    expect("(");
    do {
      const bool descending = is_op(">");
      if (descending || is_op("<")) advance(false);
      node->descending.push_back(descending);
      node->items.push_back(expression(0));
    } while (accept(","));
    expect(")", true);
    return node;
  }
  Node* condition(const Token& token, Node* left) {
    Node* const node = binary(token, left, expression(0), NodeType::condition);
    if (accept(":")) node->third = expression(0);
    return node;
  }
  Node* bind(const Token& token, Node* left) {
    if (left->type != NodeType::variable) {
      throw JsonataError("S0212", {.token = std::string(left->text), .position = left->position});
    }
    return binary(token, left, expression(kBindPower - 1), NodeType::bind);
  }
  Node* binding_of_step(const Token& token, Node* left) {
    Node* const right = expression(kVariablePower);
    if (right->type != NodeType::variable) fail_at(token, "S0214");
    return binary(token, left, right, token.text == "@" ? NodeType::focus : NodeType::index);
  }

  Node* call(const Token& token, Node* procedure) {
    Node* const node = make(NodeType::function, token);
    node->lhs = procedure;
    if (!is_op(")")) {
      do {
        node->items.push_back(argument(*node));
      } while (accept(","));
    }
    expect(")", true);
    const bool is_definition =
        procedure->type == NodeType::name && (procedure->text == "function" || procedure->text == "λ");
    return is_definition ? lambda(node) : node;
  }
  Node* argument(Node& call) {
    if (!is_op("?")) return expression(0);
    call.type = NodeType::partial;
    Node* const node = make(NodeType::placeholder, next_);
    advance(false);
    return node;
  }
  Node* lambda(Node* node) {
    for (size_t i = 0; i < node->items.size(); ++i) {
      if (node->items[i]->type == NodeType::variable) continue;
      throw JsonataError("S0208", {.token = std::string(node->items[i]->text),
                                   .position = node->items[i]->position,
                                   .second = std::to_string(i + 1)});
    }
    node->type = NodeType::lambda;
    if (is_op("<")) node->signature = signature();
    expect("{");
    node->lhs = expression(0);
    expect("}", true);
    return node;
  }
  // The tokens from < to its >, as they come.
  std::shared_ptr<const Signature> signature() {
    std::string text = "<";
    for (int depth = 1; depth > 0 && next_.type != Token::Type::end && !is_op("{");) {
      advance(false);
      if (is_op("<")) ++depth;
      if (is_op(">")) --depth;
      text += next_.text;
    }
    expect(">");
    return std::make_shared<const Signature>(text);
  }

  Ast& ast_;
  Lexer lexer_;
  Token next_;
  int depth_ = 0;
};

}  // namespace

std::unique_ptr<const Ast> parse(std::string_view text) {
  auto ast = std::make_unique<Ast>();
  ast->root = resolve(*ast, Parser(*ast, text).parse());
  return ast;
}

}  // namespace tidemill::lang::jsonata
