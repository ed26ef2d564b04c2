#include "lang/states/diagnostic.h"

#include "base/text.h"
#include "lang/states/machine.h"
#include "lang/states/report.h"

namespace tidemill::lang::states {

std::string refusal(std::span<const Diagnostic> diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Diagnostic::Severity::error) continue;
    if (!text.empty()) text += ", ";
    // A diagnostic without a place is said to be at null, as on AWS.
    text += base::cat(diagnostic.code, ": ", diagnostic.message, " at ",
                      diagnostic.location.empty() ? std::string_view("null") : std::string_view(diagnostic.location));
  }
  return text;
}

void Report::schema(std::string message, std::string location) {
  error("SCHEMA_VALIDATION_FAILED", std::move(message), std::move(location));
}

void Report::add(Diagnostic::Severity severity, std::string_view code, std::string message, std::string location) {
  has_errors_ = has_errors_ || severity == Diagnostic::Severity::error;
  if (diagnostics_.size() < static_cast<size_t>(kDiagnosticsMax)) {
    diagnostics_.push_back({severity, std::string(code), std::move(message), std::move(location)});
  }
}

}  // namespace tidemill::lang::states
