#include "lang/states/document.h"

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

}  // namespace tidemill::lang::states
