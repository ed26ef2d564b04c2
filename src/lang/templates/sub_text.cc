#include "lang/templates/sub_text.h"

#include <algorithm>
#include <utility>

#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

bool is_variable_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == ':';
}

void check_variable(std::string_view name) {
  if (!name.empty() && std::ranges::all_of(name, is_variable_character)) return;
  refuse(
      "variable names in Fn::Sub syntax must contain only alphanumeric characters, underscores, periods, and colons");
}

}  // namespace

std::vector<SubPart> parse_sub(std::string_view text) {
  std::vector<SubPart> parts;
  std::string literal;
  while (!text.empty()) {
    const size_t open = text.find("${");
    const size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) break;
    literal.append(text.substr(0, open));
    const std::string_view name = text.substr(open + 2, close - open - 2);
    text.remove_prefix(close + 1);
    if (name.starts_with('!')) {
      literal.append("${").append(name.substr(1)).push_back('}');
      continue;
    }
    check_variable(name);
    if (!literal.empty()) parts.push_back({.text = std::exchange(literal, {})});
    parts.push_back({.text = std::string(name), .is_variable = true});
  }
  literal.append(text);
  if (!literal.empty()) parts.push_back({.text = std::move(literal)});
  return parts;
}

}  // namespace tidemill::lang::templates
