#include "lang/inputs/input_template.h"

#include <algorithm>

namespace tidemill::lang::inputs {
namespace {

// The name in the place that begins at `begin`; empty: none begins there.
std::string_view name_at(std::string_view text, size_t begin) {
  const size_t end = text.find_first_of("<>\" \t\r\n", begin + 1);
  if (end == std::string_view::npos || text[end] != '>') return {};
  return text.substr(begin + 1, end - begin - 1);
}

void append_without_quotes(std::string& out, const json::Value& value) {
  for (const char c : json::write(value)) {
    if (c != '"') out += c;
  }
}

void append_within_quotes(std::string& out, const json::Value& value) {
  if (value.is_string())
    out += value.string();
  else if (value.is_array() || value.is_object())
    append_without_quotes(out, value);
  else
    json::append(out, value);
}

}  // namespace

InputTemplate InputTemplate::parse(std::string_view text) {
  InputTemplate result;
  Part part;
  bool is_quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted && c == '\\' && i + 1 < text.size()) {
      part.text += c;
      part.text += text[++i];
      continue;
    }
    const std::string_view name = c == '<' ? name_at(text, i) : std::string_view();
    if (name.empty()) {
      if (c == '"') is_quoted = !is_quoted;
      part.text += c;
      continue;
    }
    part.name = name;
    part.is_quoted = is_quoted;
    result.parts_.push_back(std::move(part));
    part = {};
    i += name.size() + 1;
  }
  result.parts_.push_back(std::move(part));
  return result;
}

std::optional<std::string_view> InputTemplate::unclosed(std::string_view text) {
  bool is_quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && text[i] == '<') {
      const std::string_view name = name_at(text, i);
      if (name.empty()) return text.substr(i + 1, text.find_first_of("<>\" \t\r\n,}]", i + 1) - i - 1);
      i += name.size() + 1;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> InputTemplate::names() const {
  std::vector<std::string_view> names;
  for (const Part& part : parts_) {
    if (!part.name.empty()) names.push_back(part.name);
  }
  return names;
}

std::optional<std::string> InputTemplate::render(const Values& values, size_t bytes_max) const {
  std::string out;
  for (const Part& part : parts_) {
    out += part.text;
    if (out.size() > bytes_max) return std::nullopt;
    if (part.name.empty()) continue;
    const json::Value* value = values(part.name);
    if (part.is_quoted) {
      if (value) append_within_quotes(out, *value);
    } else if (value) {
      json::append(out, *value);
    } else {
      out += "\"\"";
    }
  }
  return out;
}

}  // namespace tidemill::lang::inputs
