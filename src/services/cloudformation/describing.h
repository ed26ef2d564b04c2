// Stacks as operations show them.
#pragma once

#include <string>
#include <vector>

#include "services/cloudformation/stack.h"
#include "wire/shapes/cloudformation.h"

namespace tidemill::cloudformation {

namespace shapes = wire::cloudformation;

inline constexpr std::string_view kNotChecked = "NOT_CHECKED";  // there is no drift detection

[[nodiscard]] shapes::Stack describe_stack(const Stack& stack);
[[nodiscard]] shapes::StackSummary summarize_stack(const Stack& stack);
[[nodiscard]] std::vector<shapes::Parameter> describe_parameters(const Settings& settings);
[[nodiscard]] std::vector<shapes::Tag> describe_tags(const base::json::TextMap& tags);
// Empty text is no member.
[[nodiscard]] inline std::optional<std::string> shown(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace tidemill::cloudformation
