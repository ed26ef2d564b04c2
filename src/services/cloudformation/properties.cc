#include "services/cloudformation/properties.h"

#include <algorithm>
#include <unordered_set>

#include "base/json_objects.h"
#include "base/text.h"
#include "wire/tags.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {

class Checker {
 public:
  Checker(std::string_view logical_id, Source source) : logical_id_(logical_id), source_(source) {}

  json::Object object(std::span<const Property> table, const json::Object& given, const std::string& path, bool takes_any) {
    std::vector<json::Member> members;
    members.reserve(given.size());
    for (const auto& [name, value] : given) {
      const auto found = std::ranges::find(table, name, &Property::name);
      if (found == table.end()) {
        if (!takes_any) refuse(cat("#", path, ": extraneous key [", name, "] is not permitted"));
        members.emplace_back(name, value);
        continue;
      }
      if (!found->refused.empty()) {
        refuse(cat("#", path, "/", name, ": Tidemill does not support this property: ", found->refused));
      }
      members.emplace_back(name, property(*found, value, cat(path, "/", name)));
    }
    for (const Property& one : table) {
      const bool may_be_absent = !one.required || (one.write_only && source_ == Source::read);
      if (!may_be_absent && !given.find(one.name)) missing(cat(path, "/", one.name));
    }
    return json::object_of(std::move(members));
  }

 private:
  json::Value property(const Property& property, const json::Value& given, const std::string& path) {
    if (property.form == Form::list) {
      if (!given.is_array()) {
        // CloudFormation takes one value for a list of one.
        if (given.is_object() && property.kind != Kind::object) wrong_type(path, "JSONArray", given);
        json::Array one;
        one.push_back(single(property, given, cat(path, "/0")));
        return one;
      }
      json::Array result;
      size_t index = 0;
      for (const json::Value& value : given.array()) {
        result.push_back(single(property, value, cat(path, "/", index)));
        ++index;
      }
      return result;
    }
    if (property.form == Form::map) {
      if (!given.is_object()) wrong_type(path, "JSONObject", given);
      std::vector<json::Member> members;
      members.reserve(given.object().size());
      for (const auto& [name, value] : given.object()) {
        members.emplace_back(name, single(property, value, cat(path, "/", name)));
      }
      return json::object_of(std::move(members));
    }
    return single(property, given, path);
  }

  json::Value single(const Property& property, const json::Value& given, const std::string& path) {
    switch (property.kind) {
      case Kind::string: return text(given, path);
      case Kind::integer: return integer(given, path);
      case Kind::number: return number(given, path);
      case Kind::boolean: return boolean(given, path);
      case Kind::json: return given;
      case Kind::object:
        if (!given.is_object()) wrong_type(path, "JSONObject", given);
        return object(property.members, given.object(), path, property.members.empty());
    }
    return given;
  }

  json::Value text(const json::Value& given, const std::string& path) {
    if (given.is_string()) return given;
    if (given.is_number()) return given.number_text();
    if (given.is_boolean()) return given.boolean() ? "true" : "false";
    wrong_type(path, "String", given);
  }

  json::Value integer(const json::Value& given, const std::string& path) {
    const json::Value parsed = number(given, path, "Integer");
    const auto whole = parsed.to_int64();
    if (!whole) wrong_type(path, "Integer", given);
    return *whole;
  }

  json::Value number(const json::Value& given, const std::string& path, std::string_view expected = "Number") {
    if (given.is_number()) return given;
    if (given.is_string()) {
      // "007" is 7 to AWS, and no JSON number.
      std::string digits = given.string();
      const size_t sign = digits.starts_with('-') ? 1 : 0;
      while (digits.size() > sign + 1 && digits[sign] == '0' && digits[sign + 1] >= '0' && digits[sign + 1] <= '9') {
        digits.erase(sign, 1);
      }
      if (auto parsed = json::parse(digits); parsed && parsed->is_number()) return *std::move(parsed);
    }
    wrong_type(path, expected, given);
  }

  json::Value boolean(const json::Value& given, const std::string& path) {
    if (given.is_boolean()) return given;
    if (given.is_string()) {
      std::string lower = given.string();
      std::ranges::transform(lower, lower.begin(), [](char letter) { return static_cast<char>(letter | 0x20); });
      if (lower == "true") return true;
      if (lower == "false") return false;
    }
    wrong_type(path, "Boolean", given);
  }

  static std::string_view name_of(const json::Value& value) {
    switch (value.kind()) {
      case json::Kind::null: return "Null";
      case json::Kind::boolean: return "Boolean";
      case json::Kind::number: return "Number";
      case json::Kind::string: return "String";
      case json::Kind::array: return "JSONArray";
      case json::Kind::object: return "JSONObject";
    }
    return "";
  }

  [[noreturn]] void wrong_type(const std::string& path, std::string_view expected, const json::Value& found) {
    refuse(cat("#", path, ": expected type: ", expected, ", found: ", name_of(found)));
  }
  [[noreturn]] void missing(const std::string& path) {
    throw PropertiesRefused(cat("Property validation failure: [The property {", path, "} is required]"));
  }
  [[noreturn]] void refuse(const std::string& what) {
    throw PropertiesRefused(cat("Properties validation failed for resource ", logical_id_, " with message:\n", what));
  }

  std::string_view logical_id_;
  Source source_;
};

bool same(const json::Value* a, const json::Value* b) {
  if (!a || !b) return !a && !b;
  return json::equal(*a, *b);
}

}  // namespace

json::Object checked_properties(const ResourceType& type, std::string_view logical_id, const json::Object& given,
                                Source source) {
  return Checker(logical_id, source).object(type.properties, given, "", type.takes_any_property);
}

std::vector<std::string> changed_properties(const json::Object& before, const json::Object& after) {
  std::vector<std::string> result;
  for (const auto& [name, value] : after) {
    if (!same(before.find(name), &value)) result.push_back(name);
  }
  for (const auto& [name, value] : before) {
    if (!after.find(name)) result.push_back(name);
  }
  return result;
}

json::Object with_members(json::Object base, const json::Object& other, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const json::Value* value = other.find(name)) {
      base.set(name, *value);
    } else {
      base.erase(name);
    }
  }
  return base;
}

namespace {

bool has_element(const json::Value* list, const json::Value& element) {
  if (!list) return false;
  return std::ranges::any_of(list->array(), [&](const json::Value& one) { return json::equal(one, element); });
}

// Whose elements are compared with each other; longer ones change as a whole.
constexpr size_t kComparedElementsMax = 300;

bool is_list(const json::Value* value) {
  return !value || (value->is_array() && value->array().size() <= kComparedElementsMax);
}

// Of two elements with one name that of the attempt comes first.
json::Array list_between(const json::Value* base, const json::Value* attempted, const json::Value* after) {
  json::Array result;
  for (const json::Value* list : {attempted, base}) {
    if (!list) continue;
    for (const json::Value& element : list->array()) {
      const bool is_sure = has_element(base, element) && has_element(attempted, element);
      if (list == base && is_sure) continue;  // it was looked at
      if (is_sure || !has_element(after, element)) result.push_back(element);
    }
  }
  return result;
}

}  // namespace

json::Object between(json::Object base, const json::Object& attempted, const json::Object& after) {
  for (const std::string& name : changed_properties(attempted, after)) {
    const json::Value *from = base.find(name), *to = attempted.find(name), *wanted = after.find(name);
    if (is_list(from) && is_list(to) && is_list(wanted)) {
      json::Array list = list_between(from, to, wanted);
      // Where it is the same but for the order, that may be the one of the attempt.
      const bool is_as_wanted = wanted ? json::equal(json::Value(list), *wanted) : list.empty();
      if (!is_as_wanted && list.empty()) base.erase(name);
      if (!is_as_wanted && !list.empty()) base.set(name, std::move(list));
      if (!is_as_wanted) continue;
    }
    base = with_members(std::move(base), attempted, {name});
  }
  return base;
}

json::Object with_lists_of(json::Object base, const json::Object& other) {
  for (const auto& [name, value] : other) {
    json::Value* own = base.find(name);
    if (!own) {
      base.set(name, value);
    } else if (own->is_array() && value.is_array()) {
      json::Array& list = own->array();
      const bool is_compared = is_list(own) && is_list(&value);
      std::unordered_set<std::string> written;  // of longer lists, where members in another order make another element
      if (!is_compared) {
        for (const json::Value& one : list) written.insert(json::write(one));
      }
      for (const json::Value& element : value.array()) {
        const bool is_new = is_compared ? !has_element(own, element) : written.insert(json::write(element)).second;
        if (is_new) list.push_back(element);
      }
    }
  }
  return base;
}

std::string_view requires_recreation(const ResourceType& type, std::string_view property) {
  const auto found = std::ranges::find(type.properties, property, &Property::name);
  if (found == type.properties.end()) return "Never";
  if (found->update == Update::perhaps) return "Conditionally";
  return found->update == Update::replaces || !type.update ? "Always" : "Never";
}

bool needs_replacement(const ResourceType& type, const json::Object& before, const json::Object& after) {
  bool perhaps = false;
  for (const std::string& name : changed_properties(before, after)) {
    const std::string_view recreation = requires_recreation(type, name);
    if (recreation == "Always") return true;
    perhaps |= recreation == "Conditionally";
  }
  return perhaps && type.replaces && type.replaces(before, after);
}

// ---- For types ------------------------------------------------------------------------------------------------------

std::string text_of(const json::Object& properties, std::string_view name) {
  const json::Value* value = properties.find(name);
  return value && value->is_string() ? value->string() : std::string();
}

namespace {
json::Object with_own_tags(const base::json::TextMap& of_stack, const json::Object& properties,
                           std::string_view property) {
  json::Object result;
  for (const auto& [key, value] : of_stack) result.set(key, value);
  const json::Value* own = properties.find(property);
  if (own && own->is_object()) {
    for (const auto& [key, value] : own->object()) result.set(key, value);
  } else if (own && own->is_array()) {
    for (const json::Value& tag : own->array()) {
      const json::Value *key = tag.find("Key"), *value = tag.find("Value");
      if (key && value && key->is_string()) result.set(key->string(), *value);
    }
  }
  return result;
}
}  // namespace

json::Object tag_map(const Step& step, const json::Object& properties, std::string_view property) {
  return with_own_tags(step.scope().tags, properties, property);
}

json::Object previous_tag_map(const Step& step, const json::Object& before, std::string_view property) {
  return with_own_tags(step.scope().previous_tags, before, property);
}

json::Array tag_list(const Step& step, const json::Object& properties, std::string_view property, std::string_view key,
                     std::string_view value) {
  json::Array result;
  for (auto& [name, text] : tag_map(step, properties, property)) {
    result.push_back(json::Object{{std::string(key), name}, {std::string(value), text}});
  }
  return result;
}

json::Array keys_gone(const json::Object& before, const json::Object& after) {
  json::Array result;
  for (const auto& [name, value] : before) {
    // No resource was ever given a reserved one, and services refuse to take it away: the way back from their refusal.
    if (!after.find(name) && !wire::is_reserved_tag_key(name)) result.push_back(name);
  }
  return result;
}

void copy_member(json::Object& to, const json::Object& from, std::string_view name, std::string_view as) {
  if (const json::Value* value = from.find(name)) to.set(std::string(as.empty() ? name : as), *value);
}

bool same_member(const json::Object& before, const json::Object& after, std::string_view name) {
  return same(before.find(name), after.find(name));
}

}  // namespace tidemill::cloudformation
