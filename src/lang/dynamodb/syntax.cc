// The checks of an expression's text, and the meaning of its placeholders.
#include "lang/dynamodb/syntax.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tidemill::lang::dynamodb::detail {
namespace {

struct FunctionEntry {
  std::string_view name;
  enum class Use : uint8_t { condition, operand, update } use;
  uint32_t operands;
};

constexpr std::array<FunctionEntry, 8> kFunctions = {{{"attribute_exists", FunctionEntry::Use::condition, 1},
                                                      {"attribute_not_exists", FunctionEntry::Use::condition, 1},
                                                      {"attribute_type", FunctionEntry::Use::condition, 2},
                                                      {"begins_with", FunctionEntry::Use::condition, 2},
                                                      {"contains", FunctionEntry::Use::condition, 2},
                                                      {"size", FunctionEntry::Use::operand, 1},
                                                      {"if_not_exists", FunctionEntry::Use::update, 2},
                                                      {"list_append", FunctionEntry::Use::update, 2}}};

const FunctionEntry* find_function(std::string_view name) {
  const auto* const found = std::ranges::find(kFunctions, name, &FunctionEntry::name);
  return found == kFunctions.end() ? nullptr : found;
}

std::string_view section_name(TokenKind section) {
  switch (section) {
    case TokenKind::key_set:
      return "SET";
    case TokenKind::key_remove:
      return "REMOVE";
    case TokenKind::key_add:
      return "ADD";
    default:
      return "DELETE";
  }
}

}  // namespace

void refuse_expression(ExpressionKind kind, std::string_view message, bool prefixed) {
  throw ExpressionError("Invalid " + std::string(expression_name(kind)) + ": " + std::string(message), prefixed);
}

void Syntax::refuse_more_in_writes(std::string_view message) const {
  try {
    refuse(message, kind_ == ExpressionKind::update && text_.empty());
  } catch (ExpressionError& error) {
    if (kind_ == ExpressionKind::condition) error.prefix_in_writes();
    throw;
  }
}

Syntax Syntax::of_condition(std::string_view text, ExpressionKind kind) {
  Syntax syntax = parse(text, kind);
  syntax.check_texts(syntax.root, Place::condition);
  return syntax;
}

Syntax Syntax::of_projection(std::string_view text) {
  Syntax syntax = parse(text, ExpressionKind::projection);
  for (const uint32_t path : syntax.projected) syntax.check_texts(path, Place::operand);
  return syntax;
}

Syntax Syntax::of_update(std::string_view text) {
  Syntax syntax = parse(text, ExpressionKind::update);
  syntax.check_sections();
  return syntax;
}

std::string_view Syntax::name_of(uint32_t node) const {
  switch (nodes_[node].kind) {
    case NodeKind::between:
      return "BETWEEN";
    case NodeKind::in:
      return "IN";
    case NodeKind::all_of:
      return "AND";
    case NodeKind::any_of:
      return "OR";
    case NodeKind::negate:
      return "NOT";
    default:
      return token_text(nodes_[node].token);
  }
}

uint32_t Syntax::child(uint32_t node, uint32_t index) const {
  uint32_t child = nodes_[node].first_child;
  while (index-- > 0) child = nodes_[child].next;
  return child;
}

// ---- Checks of the text alone, in its order ----

void Syntax::check_texts(uint32_t number, Place place) const {
  const SyntaxNode& node = nodes_[number];
  Place inside = Place::operand;
  switch (node.kind) {
    case NodeKind::path:
      return check_path_texts(node);
    case NodeKind::value:
      return;
    case NodeKind::call:
      check_function(number, place);
      break;
    case NodeKind::all_of:
    case NodeKind::any_of:
    case NodeKind::negate:
      inside = Place::condition;
      break;
    default:
      break;
  }
  for (uint32_t child = node.first_child; child != kNone; child = nodes_[child].next) check_texts(child, inside);
}

void Syntax::check_path_texts(const SyntaxNode& node) const {
  for (uint32_t i = 0; i < node.step_count; ++i) {
    const SyntaxStep& step = steps_[node.first_step + i];
    const std::string_view text = token_text(step.token);
    if (step.is_index) {
      uint32_t index = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
      if (error != std::errc() || index > kListIndexMax) {
        refuse("List index is not within the allowable range; index: [" + std::string(text) + "]");
      }
    } else if (token_kind(step.token) == TokenKind::identifier && is_reserved_word(text)) {
      refuse("Attribute name is a reserved keyword; reserved keyword: " + std::string(text));
    }
  }
}

void Syntax::check_function(uint32_t number, Place place) const {
  const std::string_view name = name_of(number);
  const FunctionEntry* const function = find_function(name);
  if (function == nullptr) refuse("Invalid function name; function: " + std::string(name));
  // Operands are counted later, with the placeholders.
  if (kind_ == ExpressionKind::update) {
    if (function->use == FunctionEntry::Use::update) return;
    refuse("The function is not allowed in an update expression; function: " + std::string(name));
  }
  if (function->use == FunctionEntry::Use::update) {
    refuse("The function is not allowed in a condition expression; function: " + std::string(name));
  }
  if ((function->use == FunctionEntry::Use::condition) != (place == Place::condition)) {
    refuse("The function is not allowed to be used this way in an expression; function: " + std::string(name));
  }
}

void Syntax::check_arity(uint32_t number) const {
  const uint32_t count = nodes_[number].child_count;
  const FunctionEntry* const function = find_function(name_of(number));
  if (function->operands == count) return;
  refuse("Incorrect number of operands for operator or function; operator or function: " + std::string(function->name) +
         ", number of operands: " + std::to_string(count));
}

// Section by section, in the order in which they first appear; each may appear once.
void Syntax::check_sections() const {
  for (size_t i = 0; i < actions.size(); ++i) {
    const TokenKind section = actions[i].section;
    const auto same = [&](const SyntaxAction& action) { return action.section == section; };
    if (std::any_of(actions.begin(), actions.begin() + static_cast<ptrdiff_t>(i), same)) continue;
    bool repeated = false;
    for (const SyntaxAction& action : actions) {
      if (!same(action)) continue;
      check_texts(action.path, Place::operand);
      if (action.operand != kNone) check_texts(action.operand, Place::operand);
      repeated = repeated || action.section_token != actions[i].section_token;
    }
    if (!repeated) continue;
    refuse("The \"" + std::string(section_name(section)) + "\" section can only be used once in an update expression;",
           true);
  }
}

// ---- Placeholders ----

Path Syntax::resolve_path(uint32_t number, Substitutions& substitutions) const {
  const SyntaxNode& node = nodes_[number];
  Path path;
  path.steps.reserve(node.step_count);
  for (uint32_t i = 0; i < node.step_count; ++i) {
    const SyntaxStep& step = steps_[node.first_step + i];
    const std::string_view text = token_text(step.token);
    PathStep& resolved = path.steps.emplace_back();
    if (step.is_index) {
      resolved.is_index = true;
      std::from_chars(text.data(), text.data() + text.size(), resolved.index);
    } else if (token_kind(step.token) == TokenKind::name) {
      const auto name = substitutions.name(text);
      if (!name) {
        refuse("An expression attribute name used in the document path is not defined; attribute name: " +
               std::string(text));
      }
      resolved.name = *name;
    } else {
      resolved.name = text;
    }
  }
  if (path.steps.size() > static_cast<size_t>(kDepthMax)) {
    refuse("The document path has too many nesting levels; nesting levels: " + std::to_string(path.steps.size()));
  }
  return path;
}

ValueView Syntax::resolve_value(uint32_t number, Substitutions& substitutions) const {
  const std::string_view placeholder = token_text(nodes_[number].token);
  const auto value = substitutions.value(placeholder);
  if (!value) {
    refuse_more_in_writes("An expression attribute value used in expression is not defined; attribute value: " +
                          std::string(placeholder));
  }
  return *value;
}

void Syntax::refuse_operand_type(std::string_view operation, std::string_view type) const {
  refuse("Incorrect operand type for operator or function; operator or function: " + std::string(operation) +
         ", operand type: " + std::string(type));
}

}  // namespace tidemill::lang::dynamodb::detail
