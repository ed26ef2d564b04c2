// Patterns of LIKE.
#include <re2/re2.h>

#include <cctype>

#include "lang/select/statement.h"

namespace tidemill::lang::select {

std::shared_ptr<const re2::RE2> compile_like(std::string_view pattern, std::string_view escape) {
  const auto invalid = [] {
    return SelectError("LikeInvalidInputs", "Invalid argument given to the LIKE clause in the SQL expression.");
  };
  if (!escape.empty() && escape.size() != 1) throw invalid();
  if (pattern.size() > kStatementBytesMax) throw invalid();  // of a record, which may have more
  std::string expression = "(?s)";
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    if (!escape.empty() && c == escape[0]) {
      if (++i == pattern.size()) throw invalid();
      c = pattern[i];
    } else if (c == '%') {
      expression += ".*";
      continue;
    } else if (c == '_') {
      expression += '.';
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x80 && std::isalnum(static_cast<unsigned char>(c)) == 0) {
      if (c == '\0') throw invalid();
      expression += '\\';
    }
    expression += c;
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_shared<const re2::RE2>(expression, options);
  if (!compiled->ok()) throw invalid();
  return compiled;
}

}  // namespace tidemill::lang::select
