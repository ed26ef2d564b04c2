#include "lang/states/document.h"

#include <algorithm>

namespace tidemill::lang::states {

size_t text_size(const json::Value& value) {
  const auto quoted = [](std::string_view text) {
    if (json::is_plain(text)) return text.size() + 2;
    std::string escaped;
    json::append_string(escaped, text);
    return escaped.size();
  };
  switch (value.kind()) {
    case json::Kind::null:
      return 4;
    case json::Kind::boolean:
      return value.boolean() ? 4 : 5;
    case json::Kind::number:
      return value.number_text().size();
    case json::Kind::string:
      return quoted(value.string());
    case json::Kind::array: {
      size_t size = 2 + (value.array().empty() ? 0 : value.array().size() - 1);
      for (const json::Value& item : value.array()) size += text_size(item);
      return size;
    }
    case json::Kind::object: {
      size_t size = 2 + (value.object().empty() ? 0 : value.object().size() - 1);
      for (const auto& [name, member] : value.object()) size += quoted(name) + 1 + text_size(member);
      return size;
    }
  }
  return 0;
}

size_t memory_size(const json::Value& value) {
  size_t size = sizeof(json::Value);
  if (value.is_string()) size += value.string().size();
  if (value.is_number()) size += value.number_text().size();
  if (value.is_array()) {
    for (const json::Value& item : value.array()) size += memory_size(item);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.object()) size += sizeof(std::string) + name.size() + memory_size(member);
  }
  return size;
}

bool is_deeper_than(const json::Value& value, int levels) {
  if (value.is_array()) {
    const auto is_deep = [levels](const json::Value& item) { return is_deeper_than(item, levels - 1); };
    return levels == 0 || std::ranges::any_of(value.array(), is_deep);
  }
  if (value.is_object()) {
    const auto is_deep = [levels](const json::Member& member) { return is_deeper_than(member.second, levels - 1); };
    return levels == 0 || std::ranges::any_of(value.object(), is_deep);
  }
  return false;
}

}  // namespace tidemill::lang::states
