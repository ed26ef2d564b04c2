// SET and REMOVE: to the update that lang/dynamodb applies. set_add and set_delete become ADD and DELETE.
#include <algorithm>

#include "lang/partiql/compile.h"

namespace tidemill::lang::partiql::detail {

namespace {

using dynamodb::Type;
using dynamodb::Update;
using dynamodb::ValueView;
using Operand = Update::Operand;
using Section = Update::Section;

bool is_set(Type type) { return type == Type::SS || type == Type::NS || type == Type::BS; }

class Builder {
 public:
  Builder(const Syntax& syntax, Values& values) : syntax_(syntax), values_(values) {}

  Update build() {
    for (const Assignment& assignment : syntax_.assignments) {
      result_.paths.paths.push_back({node(assignment.target).steps});
      result_.actions.push_back(action(assignment));
    }
    try {
      add_paths(result_.paths.tree, result_.paths.paths, dynamodb::ExpressionKind::update);
    } catch (const dynamodb::ExpressionError& error) {
      throw StatementError(error.what());
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] const Node& node(uint32_t number) const { return syntax_.nodes[number]; }

  Update::Action action(const Assignment& assignment) {
    if (!assignment.value) return {Section::remove};
    const Node& value = node(*assignment.value);
    const bool call = value.kind == NodeKind::call;
    if (call && value.text == "set_add") return {Section::add, change_of_set(assignment)};
    if (call && value.text == "set_delete") return {Section::del, change_of_set(assignment)};
    return {Section::set, operand(*assignment.value)};
  }

  // a = set_add(a, <<…>>)
  uint32_t change_of_set(const Assignment& assignment) {
    const Node& call = node(*assignment.value);
    const std::string name = upper(call.text);
    if (call.children.size() != 2) {
      throw StatementError(name + " must have exactly two arguments" + syntax_.at(*assignment.value));
    }
    const Node& first = node(call.children[0]);
    if (first.kind != NodeKind::path || first.steps != node(assignment.target).steps) {
      throw StatementError("The first argument to " + name + " must equal the assignment value" +
                           syntax_.at(*assignment.value));
    }
    const std::string message =
        "The second argument to " + name + " must be a value with type SET" + syntax_.at(call.children[0]);
    if (!values_.is_value(call.children[1])) throw StatementError(message);
    const ValueView set = values_.value(call.children[1]);
    if (!is_set(set.type())) throw StatementError(message);
    return add({Operand::Kind::value, 0, 0, set.encoded().data()});
  }

  uint32_t add(const Operand& operand) {
    result_.operands.push_back(operand);
    return static_cast<uint32_t>(result_.operands.size() - 1);
  }

  uint32_t operand(uint32_t number) {
    const Node& at = node(number);
    switch (at.kind) {
      case NodeKind::path:
        result_.operand_paths.push_back({at.steps});
        return add({Operand::Kind::path, static_cast<uint32_t>(result_.operand_paths.size() - 1)});
      case NodeKind::plus:
        return arithmetic(at, Operand::Kind::plus);
      case NodeKind::minus:
        return arithmetic(at, Operand::Kind::minus);
      case NodeKind::call:
        return list_append(number);
      case NodeKind::is:
        throw StatementError("IS operator is not supported in update expressions");
      case NodeKind::other:
      case NodeKind::compare:
      case NodeKind::between:
      case NodeKind::in:
      case NodeKind::like:
      case NodeKind::all_of:
      case NodeKind::any_of:
      case NodeKind::negate:
        throw StatementError("Unsupported operator in Update Expression. Operator: " + syntax_.tokens[at.token].text);
      default:
        return add({Operand::Kind::value, 0, 0, values_.value(number).encoded().data()});
    }
  }

  uint32_t arithmetic(const Node& at, Operand::Kind kind) {
    if (at.children.size() != 2) {  // a sign before something that is no number literal
      throw StatementError("Unsupported operator in Update Expression. Operator: " + at.text);
    }
    const uint32_t first = operand(at.children[0]);
    const uint32_t second = operand(at.children[1]);
    check_type(at.text, first, Type::N);
    check_type(at.text, second, Type::N);
    return add({kind, first, second});
  }

  uint32_t list_append(uint32_t number) {
    const Node& at = node(number);
    if (at.text != "list_append") throw StatementError("Unrecognized function: " + at.text + syntax_.at(number));
    if (at.children.size() != 2) refuse_operand_count(at.text, at.children.size());
    const uint32_t first = operand(at.children[0]);
    const uint32_t second = operand(at.children[1]);
    check_type(at.text, first, Type::L);
    check_type(at.text, second, Type::L);
    return add({Operand::Kind::list_append, first, second});
  }

  void check_type(std::string_view name, uint32_t operand, Type wanted) const {
    if (result_.operands[operand].kind != Operand::Kind::value) return;
    const Type type = ValueView(result_.operands[operand].value).type();
    if (type != wanted) refuse_operand_type(name, type_name(type));
  }

  const Syntax& syntax_;
  Values& values_;
  Update result_;
};

}  // namespace

Update compile_update(const Syntax& syntax, Values& values) { return Builder(syntax, values).build(); }

}  // namespace tidemill::lang::partiql::detail
