#include "lang/templates/functions.h"

#include <algorithm>
#include <array>

namespace tidemill::lang::templates {
namespace {

constexpr std::array<std::string_view, 25> kFunctions = {
    "Fn::And",          "Fn::Base64",       "Fn::Cidr",        "Fn::Contains", "Fn::EachMemberEquals",
    "Fn::EachMemberIn", "Fn::Equals",       "Fn::FindInMap",   "Fn::GetAZs",   "Fn::GetAtt",
    kGetStackOutput,    "Fn::If",           "Fn::ImportValue", "Fn::Join",     "Fn::Length",
    "Fn::Not",          "Fn::Or",           "Fn::RefAll",      "Fn::Select",   "Fn::Split",
    "Fn::Sub",          "Fn::ToJsonString", "Fn::Transform",   "Fn::ValueOf",  "Fn::ValueOfAll"};

}  // namespace

std::optional<std::string_view> long_name(std::string_view short_name) {
  if (short_name == kRef) return kRef;
  if (short_name == kCondition) return kCondition;
  const auto found =
      std::ranges::find_if(kFunctions, [&](std::string_view name) { return name.substr(4) == short_name; });
  if (found == kFunctions.end()) return std::nullopt;
  return *found;
}

std::optional<Call> as_call(const json::Value& value) {
  if (!value.is_object() || value.object().size() != 1) return std::nullopt;
  const auto& [name, argument] = *value.object().begin();
  if (name != kRef && !name.starts_with("Fn::")) return std::nullopt;
  return Call{name, &argument};
}

std::optional<std::string> as_text(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::string:
      return value.string();
    case json::Kind::number:
      return value.number_text();
    case json::Kind::boolean:
      return value.boolean() ? "true" : "false";
    default:
      return std::nullopt;
  }
}

}  // namespace tidemill::lang::templates
