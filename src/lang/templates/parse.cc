#include "lang/templates/parse.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "lang/templates/functions.h"
#include "lang/templates/template_error.h"
#include "lang/templates/yaml.h"

namespace tidemill::lang::templates {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Maps larger than any template has make lookups slow.
void check_sizes(const json::Value& value) {
  if (value.is_array()) {
    for (const json::Value& element : value.array()) check_sizes(element);
  } else if (value.is_object()) {
    if (value.object().size() > kMembersMax) {
      refuse_format(base::cat("a map may not have more than ", kMembersMax, " members."));
    }
    for (const auto& [name, member] : value.object()) check_sizes(member);
  }
}

[[noreturn]] void refuse_json(std::string_view text, const json::ParseError& error) {
  const std::string_view before = text.substr(0, error.offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const size_t begin = before.rfind('\n') + 1;  // npos + 1 is the text's beginning
  refuse_format(base::cat("JSON not well-formed. (line ", line, ", column ", before.size() - begin + 1, ")"));
}

}  // namespace

json::Value parse_fragment(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && text[begin] == '{') {
    auto document = json::parse(text, kTemplateDepthMax);
    if (!document) refuse_json(text, document.error());
    check_sizes(*document);
    return std::move(*document);
  }
  if (!base::is_utf8(text)) refuse_format("YAML not well-formed.");
  auto document = json::parse(yaml_to_json(text), kTemplateDepthMax + 2);  // a GetAtt's list stands within its object
  if (!document) refuse_format("YAML not well-formed.");
  return std::move(*document);
}

json::Value parse(std::string_view text) {
  json::Value document = parse_fragment(text);
  if (!document.is_object()) refuse_format("unsupported structure.");
  return document;
}

}  // namespace tidemill::lang::templates
