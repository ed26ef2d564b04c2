// Inside: the names of intrinsic functions, and what a value that may be one is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace tidemill::lang::templates {

inline constexpr std::string_view kRef = "Ref";
inline constexpr std::string_view kCondition = "Condition";
inline constexpr std::string_view kGetAtt = "Fn::GetAtt";
inline constexpr std::string_view kGetStackOutput = "Fn::GetStackOutput";
inline constexpr std::string_view kSub = "Fn::Sub";
inline constexpr std::string_view kIf = "Fn::If";
inline constexpr std::string_view kFindInMap = "Fn::FindInMap";
inline constexpr std::string_view kTransform = "Fn::Transform";
inline constexpr std::string_view kToJsonString = "Fn::ToJsonString";
inline constexpr std::string_view kLength = "Fn::Length";
inline constexpr std::string_view kForEachPrefix = "Fn::ForEach::";

// More members of one map than any template has; lookups in maps are linear.
inline constexpr size_t kMembersMax = 5000;

// The long name of a short function: "Sub" is "Fn::Sub", "Ref" is "Ref". Nothing for what is none.
[[nodiscard]] std::optional<std::string_view> long_name(std::string_view short_name);

struct Call {
  std::string_view name;  // "Ref", "Fn::Sub", …; also one that does not exist ("Fn::Foo")
  const json::Value* argument = nullptr;
};

// An object with one member that is named as a function.
[[nodiscard]] std::optional<Call> as_call(const json::Value& value);

// A string as it is, a number by its digits, "true" or "false"; nothing for the others.
[[nodiscard]] std::optional<std::string> as_text(const json::Value& value);

}  // namespace tidemill::lang::templates
