#include "lang/dynamodb/legacy_update.h"

namespace tidemill::lang::dynamodb {
namespace {

using Section = Update::Section;

[[noreturn]] void refuse_parameter(const std::string& reason) {
  throw ExpressionError("One or more parameter values were invalid: " + reason, true);
}

bool is_set(Type type) { return type == Type::SS || type == Type::NS || type == Type::BS; }

Section checked_section(const LegacyAttributeUpdate& update) {
  const std::string_view action = update.action.value_or("PUT");
  if (!update.value) {
    if (action == "DELETE") return Section::remove;
    refuse_parameter("Only DELETE action is allowed when no attribute value is specified");
  }
  const Type type = update.value->type();
  if (action == "DELETE") {
    if (is_set(type)) return Section::del;
    refuse_parameter("DELETE action with value is not supported for the type " + std::string(type_name(type)));
  }
  if (action == "ADD") {
    // Lists can be added to, too, though the documents do not say so.
    if (is_set(type) || type == Type::N || type == Type::L) return Section::add;
    refuse_parameter("ADD action is not supported for the type " + std::string(type_name(type)));
  }
  return Section::set;
}

}  // namespace

Update legacy_update(std::span<const LegacyAttributeUpdate> updates) {
  Update result;
  result.legacy = true;
  for (const LegacyAttributeUpdate& update : updates) {
    const Section section = checked_section(update);
    const auto operand = static_cast<uint32_t>(result.operands.size());
    if (update.value) {
      result.operands.push_back({.kind = Update::Operand::Kind::value, .value = update.value->encoded().data()});
    }
    result.paths.paths.push_back({{PathStep{std::string(update.attribute)}}});
    result.actions.push_back({section, operand});
  }
  add_paths(result.paths.tree, result.paths.paths, ExpressionKind::update);
  return result;
}

}  // namespace tidemill::lang::dynamodb
