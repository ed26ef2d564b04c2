// Inside: what a definition's compilation finds out: what is wrong, and which variables a state reads.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "lang/states/diagnostic.h"

namespace tidemill::lang::states {

class Report {
 public:
  void error(std::string_view code, std::string message, std::string location) {
    add(Diagnostic::Severity::error, code, std::move(message), std::move(location));
  }
  void warning(std::string_view code, std::string message, std::string location) {
    add(Diagnostic::Severity::warning, code, std::move(message), std::move(location));
  }
  // SCHEMA_VALIDATION_FAILED.
  void schema(std::string message, std::string location);

  [[nodiscard]] bool has_errors() const { return has_errors_; }
  [[nodiscard]] Diagnostics take() { return std::move(diagnostics_); }

  // The state that is compiled reads the variable.
  void reads(std::string_view variable) { variables_.emplace(variable); }
  [[nodiscard]] std::set<std::string> take_variables() { return std::exchange(variables_, {}); }

 private:
  void add(Diagnostic::Severity severity, std::string_view code, std::string message, std::string location);

  Diagnostics diagnostics_;
  bool has_errors_ = false;
  std::set<std::string> variables_;
};

}  // namespace tidemill::lang::states
