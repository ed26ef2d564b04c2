// Fn::Select, Fn::FindInMap, Fn::GetAZs.
#include <charconv>

#include "base/text.h"
#include "lang/templates/arguments.h"
#include "lang/templates/evaluation.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

std::optional<size_t> index_of(const std::string& text) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

}  // namespace

Evaluation::Result Evaluation::select(const json::Value& argument) {
  const SelectArguments arguments = select_arguments(argument);
  const auto position = text(arguments.index);
  Result list = evaluate(arguments.list);
  if (list) {
    if (Result secret = not_to_be_told(*list)) return secret;
  }
  if (position && known_.partial && position->find(kKnownAfterApply) != std::string::npos) return kKnownAfterApply;
  if (position && is_hidden(*position)) return kHiddenValue;
  const auto index = position ? index_of(*position) : std::nullopt;
  if (!index || !list || !list->is_array()) refuse_select();
  json::Array& elements = list->array();
  if (*index >= elements.size()) refuse(cat("Fn::Select cannot select nonexistent value at index ", *index));
  return std::move(elements[*index]);
}

json::Value Evaluation::find_in_map(const json::Value& argument) {
  const json::Array& parts = find_in_map_arguments(argument);
  const auto name = text(parts[0]);
  const auto top = text(parts[1]);
  const auto second = text(parts[2]);
  if (!name || !top || !second) refuse_find_in_map();
  if (is_hidden(*name) || is_hidden(*top) || is_hidden(*second)) return kHiddenValue;
  const json::Value* mapping = stack_.mappings().find(*name);
  if (mapping == nullptr) {
    refuse(cat("Mapping named '", *name, "' is not present in the 'Mappings' section of template."));
  }
  const json::Value* row = mapping->find(*top);
  const json::Value* value = row == nullptr ? nullptr : row->find(*second);
  if (value == nullptr) refuse(cat("Unable to get mapping for ", *name, "::", *top, "::", *second));
  charge(*value);
  return *value;
}

json::Value Evaluation::zones(const json::Value& argument) {
  const auto region = text(argument);
  if (!region) refuse("Fn::GetAZs requires a single string parameter: a region name");
  if (is_hidden(*region)) return kHiddenValue;
  json::Array zones;
  for (const std::string& letter : inputs_.pseudo.zone_letters) {
    zones.emplace_back((region->empty() ? inputs_.pseudo.region : *region) + letter);
  }
  charge(json::Value(zones));
  return zones;
}

}  // namespace tidemill::lang::templates
