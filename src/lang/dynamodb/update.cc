// Parsing of updates: from the syntax tree to actions, with the checks that need the placeholders, in AWS's order.
#include "lang/dynamodb/update.h"

#include <algorithm>

#include "lang/dynamodb/syntax.h"

namespace tidemill::lang::dynamodb {

using namespace detail;

namespace {

using Section = Update::Section;
using Operand = Update::Operand;

Section section_of(TokenKind keyword) {
  switch (keyword) {
    case TokenKind::key_set:
      return Section::set;
    case TokenKind::key_remove:
      return Section::remove;
    case TokenKind::key_add:
      return Section::add;
    default:
      return Section::del;
  }
}

// What messages about ADD and DELETE call a type.
std::string_view long_type_name(Type type) {
  switch (type) {
    case Type::S:
      return "STRING";
    case Type::N:
      return "NUMBER";
    case Type::B:
      return "BINARY";
    case Type::BOOL:
      return "BOOLEAN";
    case Type::NUL:
      return "NULL";
    case Type::L:
      return "LIST";
    case Type::M:
      return "MAP";
    case Type::SS:
      return "STRING_SET";
    case Type::NS:
      return "NUMBER_SET";
    case Type::BS:
      break;
  }
  return "BINARY_SET";
}

bool is_set(Type type) { return type == Type::SS || type == Type::NS || type == Type::BS; }

class UpdateBuilder {
 public:
  UpdateBuilder(const Syntax& syntax, Substitutions& substitutions) : syntax_(syntax), substitutions_(substitutions) {}

  Update build() {
    for (const SyntaxAction& action : syntax_.actions) {
      result_.paths.paths.push_back(syntax_.resolve_path(action.path, substitutions_));
      result_.actions.push_back({section_of(action.section)});
    }
    add_paths(result_.paths.tree, result_.paths.paths, ExpressionKind::update);
    // AWS checks operands from the last action back to the first: all #names, then values and types.
    for (size_t i = syntax_.actions.size(); i-- > 0;) check_names(syntax_.actions[i].operand);
    for (size_t i = syntax_.actions.size(); i-- > 0;) add_operand(i);
    return std::move(result_);
  }

 private:
  void check_names(uint32_t number) {
    if (number == kNone) return;
    const SyntaxNode& node = syntax_.node(number);
    if (node.kind == NodeKind::path) (void)syntax_.resolve_path(number, substitutions_);
    for (uint32_t child = node.first_child; child != kNone; child = syntax_.node(child).next) check_names(child);
  }

  void add_operand(size_t index) {
    const SyntaxAction& action = syntax_.actions[index];
    if (action.operand == kNone) return;
    const uint32_t number = operand(action.operand);
    result_.actions[index].operand = number;
    const Section section = result_.actions[index].section;
    if (section == Section::set) return;
    const Type type = ValueView(result_.operands[number].value).type();
    if (is_set(type) || (section == Section::add && type == Type::N)) return;
    const std::string name = section == Section::add ? "ADD" : "DELETE";
    syntax_.refuse("Incorrect operand type for operator or function; operator: " + name + ", operand type: " +
                   std::string(long_type_name(type)) + ", typeSet: ALLOWED_FOR_" + name + "_OPERAND");
  }

  uint32_t add(const Operand& operand) {
    result_.operands.push_back(operand);
    return static_cast<uint32_t>(result_.operands.size() - 1);
  }

  uint32_t operand(uint32_t number) {
    const SyntaxNode& node = syntax_.node(number);
    switch (node.kind) {
      case NodeKind::value:
        return add({Operand::Kind::value, 0, 0, syntax_.resolve_value(number, substitutions_).encoded().data()});
      case NodeKind::path:
        result_.operand_paths.push_back(syntax_.resolve_path(number, substitutions_));
        return add({Operand::Kind::path, static_cast<uint32_t>(result_.operand_paths.size() - 1)});
      case NodeKind::plus:
        return arithmetic(number, Operand::Kind::plus);
      case NodeKind::minus:
        return arithmetic(number, Operand::Kind::minus);
      default:
        return function(number);
    }
  }

  uint32_t arithmetic(uint32_t number, Operand::Kind kind) {
    const uint32_t first = operand(syntax_.child(number, 0));
    const uint32_t second = operand(syntax_.child(number, 1));
    check_type(number, first, Type::N);
    check_type(number, second, Type::N);
    return add({kind, first, second});
  }

  uint32_t function(uint32_t number) {
    syntax_.check_arity(number);
    const uint32_t first = operand(syntax_.child(number, 0));
    const uint32_t second = operand(syntax_.child(number, 1));
    const std::string_view name = syntax_.name_of(number);
    if (name == "list_append") {
      check_type(number, first, Type::L);
      check_type(number, second, Type::L);
      for (const uint32_t inner : {first, second}) {
        if (result_.operands[inner].kind != Operand::Kind::list_append) continue;
        syntax_.refuse("The function is not allowed to be used this way in an expression; function: list_append");
      }
      return add({Operand::Kind::list_append, first, second});
    }
    if (result_.operands[first].kind != Operand::Kind::path) {
      syntax_.refuse("Operator or function requires a document path; operator or function: " + std::string(name));
    }
    return add({Operand::Kind::if_not_exists, first, second});
  }

  void check_type(uint32_t node, uint32_t operand, Type wanted) {
    if (result_.operands[operand].kind != Operand::Kind::value) return;
    const Type type = ValueView(result_.operands[operand].value).type();
    if (type != wanted) syntax_.refuse_operand_type(syntax_.name_of(node), type_name(type));
  }

  const Syntax& syntax_;
  Substitutions& substitutions_;
  Update result_;
};

}  // namespace

Update parse_update(std::string_view text, Substitutions& substitutions) {
  const Syntax syntax = Syntax::of_update(text);
  return UpdateBuilder(syntax, substitutions).build();
}

void check_key_untouched(const Update& update, std::span<const std::string_view> key_attributes) {
  for (const Path& path : update.paths.paths) {
    if (std::ranges::find(key_attributes, path.attribute()) == key_attributes.end()) continue;
    throw ExpressionError("One or more parameter values were invalid: Cannot update attribute " + path.attribute() +
                          ". This attribute is part of the key");
  }
}

}  // namespace tidemill::lang::dynamodb
