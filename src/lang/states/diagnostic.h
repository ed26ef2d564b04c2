// What is wrong with a definition, as ValidateStateMachineDefinition tells it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemill::lang::states {

struct Diagnostic {
  enum class Severity : uint8_t { error, warning };

  Severity severity = Severity::error;
  std::string code;  // "SCHEMA_VALIDATION_FAILED", "MISSING_TRANSITION_TARGET", …
  std::string message;
  std::string location;  // "/States/A/Next", a place in the text, or empty
};

using Diagnostics = std::vector<Diagnostic>;

// What stands between the quotes of "Invalid State Machine Definition: '…'": the errors, with their codes and places.
[[nodiscard]] std::string refusal(std::span<const Diagnostic> diagnostics);

}  // namespace tidemill::lang::states
