#include "services/states/tasks/sdk_names.h"

#include <utility>

#include "base/json_objects.h"

namespace tidemill::states::tasks {
namespace {

using wire::shapes::Kind;
using wire::shapes::Member;
using wire::shapes::Shape;

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_small(char c) { return c >= 'a' && c <= 'z'; }
char capital(char c) { return is_small(c) ? static_cast<char>(c - 'a' + 'A') : c; }

// As documents have them (wire/shape_document.h).
std::string document_name(std::string_view api_name) {
  std::string name(api_name);
  name.front() = capital(name.front());
  return name;
}

template <class Rename>
json::Value renamed(json::Value document, const Shape& shape, const Rename& rename);

template <class Rename>
json::Value renamed_structure(json::Value document, const Shape& shape, const Rename& rename) {
  std::vector<json::Member> members;
  members.reserve(document.object().size());
  for (auto& [name, value] : document.object()) {
    const Member* member = nullptr;
    std::string other;
    for (const Member& one : shape.members) {
      if (!rename(one.name, name, other)) continue;
      member = &one;
      break;
    }
    const bool goes_on = member && member->shape;
    members.emplace_back(member ? std::move(other) : name,
                         goes_on ? renamed(std::move(value), *member->shape, rename) : std::move(value));
  }
  return json::object_of(std::move(members));
}

template <class Rename>
json::Value renamed(json::Value document, const Shape& shape, const Rename& rename) {
  if (shape.kind == Kind::structure && document.is_object()) {
    return renamed_structure(std::move(document), shape, rename);
  }
  if (shape.kind == Kind::list && document.is_array()) {
    for (json::Value& element : document.array()) element = renamed(std::move(element), *shape.element->shape, rename);
  }
  if (shape.kind == Kind::map && document.is_object()) {
    for (auto& [key, value] : document.object()) value = renamed(std::move(value), *shape.element->shape, rename);
  }
  return document;
}

}  // namespace

std::string sdk_name(std::string_view api_name) {
  std::string name(api_name);
  size_t capitals = 0;
  while (capitals < name.size() && is_capital(name[capitals])) ++capitals;
  // The last one begins the next word, unless what follows is none.
  const bool begins_word = capitals < name.size() && is_small(name[capitals]);
  const size_t end = begins_word && capitals > 0 ? capitals - 1 : capitals;
  for (size_t i = 1; i < end; ++i) name[i] = static_cast<char>(name[i] - 'A' + 'a');
  name.front() = capital(name.front());
  return name;
}

json::Value with_api_names(json::Value document, const Shape& shape) {
  return renamed(std::move(document), shape, [](std::string_view api, std::string_view given, std::string& other) {
    if (sdk_name(api) != given) return false;
    other = api;
    return true;
  });
}

json::Value with_sdk_names(json::Value document, const Shape& shape) {
  return renamed(std::move(document), shape, [](std::string_view api, std::string_view given, std::string& other) {
    if (document_name(api) != given) return false;
    other = sdk_name(api);
    return true;
  });
}

}  // namespace tidemill::states::tasks
