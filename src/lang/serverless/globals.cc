#include "lang/serverless/globals.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "lang/serverless/serverless.h"

namespace tidemill::lang::serverless {
namespace {

constexpr auto kSections = std::to_array<std::string_view>({"Function", "LayerVersion", "SimpleTable", "StateMachine"});

bool is_function(const json::Value& value) {
  if (!value.is_object() || value.object().size() != 1) return false;
  const std::string& name = value.object().begin()->first;
  return name == "Ref" || name.starts_with("Fn::");
}

json::Value merged(const json::Value& global, const json::Value& local) {
  if (global.is_array() && local.is_array()) {
    json::Array list = global.array();
    list.insert(list.end(), local.array().begin(), local.array().end());
    return list;
  }
  if (!global.is_object() || !local.is_object() || is_function(global) || is_function(local)) return local;
  json::Object map = global.object();
  for (const auto& [name, value] : local.object()) {
    const json::Value* present = map.find(name);
    map.set(name, present == nullptr ? value : merged(*present, value));
  }
  return map;
}

}  // namespace

json::Object with_globals(const json::Value* globals, std::string_view type, const json::Object& properties) {
  const json::Value* section = globals == nullptr ? nullptr : globals->find(type.substr(type.rfind(':') + 1));
  if (section == nullptr || !section->is_object()) return properties;
  return merged(*section, properties).object();
}

void check_globals(const json::Value& globals) {
  const auto refuse = [](const std::string& why) {
    throw Error(
        "Invalid Serverless Application Specification document. Number of errors found: 1. 'Globals' section is "
        "invalid. " +
        why);
  };
  if (!globals.is_object()) refuse("It must be a non-empty dictionary");
  for (const auto& [name, section] : globals.object()) {
    if (std::ranges::find(kSections, name) == kSections.end()) refuse(base::cat("'", name, "' is not supported"));
    if (!section.is_object()) refuse(base::cat("Value of ", name, " must be a dictionary"));
  }
}

}  // namespace tidemill::lang::serverless
