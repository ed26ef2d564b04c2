#include "wire/shape_check.h"

#include <utility>

#include "base/json.h"
#include "wire/shape_json.h"

namespace tidemill::wire::shapes {

namespace {

bool is_scalar(const Shape& shape) { return shape.kind <= Kind::document; }

bool is_right(const Member& member, const void* value) {
  switch (member.shape->kind) {
    case Kind::text:
    case Kind::blob:
      return !member.text_rule || satisfies(as<std::string>(value), *member.text_rule);
    case Kind::integer:
      return !member.number_rule || satisfies(int64_t{as<int32_t>(value)}, *member.number_rule);
    case Kind::long_integer:
      return !member.number_rule || satisfies(as<int64_t>(value), *member.number_rule);
    case Kind::number:
      return !member.number_rule || satisfies(as<double>(value), *member.number_rule);
    default:
      return true;
  }
}

void report_scalar(const Member& member, const void* value, const Path& at, Violations& out) {
  switch (member.shape->kind) {
    case Kind::integer:
    case Kind::long_integer: {
      const int64_t number = member.shape->kind == Kind::integer ? int64_t{as<int32_t>(value)} : as<int64_t>(value);
      return report(static_cast<double>(number), shown(number), *member.number_rule, at, out);
    }
    case Kind::number:
      return report(as<double>(value), shown(as<double>(value)), *member.number_rule, at, out);
    default:
      return report(as<std::string>(value), *member.text_rule, at, out);
  }
}

bool has_rule(const Member& scalar) { return scalar.text_rule || scalar.number_rule; }

// All constraints of an element or key as the message lists them; and whether it must not be shown.
std::string constraints_of(const Member& scalar) {
  return scalar.text_rule ? describe(*scalar.text_rule) : describe(*scalar.number_rule);
}
bool is_terse(const Member& scalar) { return scalar.text_rule ? scalar.text_rule->terse : scalar.number_rule->terse; }
bool is_sensitive(const Member& scalar) {
  return scalar.text_rule ? scalar.text_rule->sensitive : scalar.number_rule->sensitive;
}

// A scalar in a collection, as Java prints it; nothing for what is none.
std::optional<std::string> shown_element(const Shape& shape, const void* value) {
  switch (shape.kind) {
    case Kind::text:
    case Kind::blob:
      return as<std::string>(value);
    case Kind::boolean:
      return as<bool>(value) ? "true" : "false";
    case Kind::integer:
      return shown(int64_t{as<int32_t>(value)});
    case Kind::long_integer:
      return shown(as<int64_t>(value));
    case Kind::number:
      return shown(as<double>(value));
    default:
      return {};
  }
}

// How Java prints it: [a, b] and {k=v, l=w}. Nothing for what holds more than scalars: AWS shows addresses there; nor,
// unless it is empty, where the service hides collections.
std::optional<std::string> shown_collection(const Shape& shape, const void* value, bool sensitive,
                                            const Violations& out) {
  const bool is_empty = size_of(shape, value) == 0;
  if (sensitive || (out.hides_collections() && !is_empty)) return {};
  std::string text;
  bool shows_all = true;
  bool is_first = true;
  const auto add = [&](std::string_view key, const void* element) {
    const auto shown = shown_element(*shape.element->shape, element);
    shows_all = shows_all && shown;
    if (!std::exchange(is_first, false)) text.append(", ");
    text.append(key).append(shown ? *shown : "");
  };
  if (shape.kind == Kind::list) {
    each_element(shape, value, [&](const void* element) { add("", element); });
  } else {
    each_entry(shape, value, [&](const std::string& key, const void* element) { add(key + "=", element); });
  }
  if (!shows_all) return {};
  return shape.kind == Kind::list ? "[" + text + "]" : "{" + text + "}";
}

void check_count(const Member& member, const void* value, const Path& at, Violations& out) {
  const CountRule& rule = *member.count_rule;
  const size_t size = size_of(*member.shape, value);
  if (size >= rule.min && size <= rule.max) return;
  report_count(size, shown_collection(*member.shape, value, rule.sensitive || rule.terse, out), rule, at, out);
}

// Terse messages show a map with wrong keys as JSON where its values are structures, as AWS shows BatchGetItem's.
std::optional<std::string> shown_for_keys(const Shape& map, const void* value, const Violations& out) {
  static constexpr size_t kShownBytesMax = 64 << 10;
  const bool terse = is_terse(*map.key);
  if (!terse || map.element->shape->kind != Kind::structure) {
    return shown_collection(map, value, is_sensitive(*map.key) || terse, out);
  }
  std::string text;
  json::Writer writer(text);
  write_json_map(writer, map, value);
  if (text.size() > kShownBytesMax) return {};
  return text;
}

// Of keys and of elements that are scalars: the first that is wrong makes one violation of the whole collection.
void check_keys(const Shape& shape, const void* value, const Path& at, Violations& out) {
  const Member& key = *shape.key;
  bool right = true;
  each_entry(shape, value,
             [&](const std::string& text, const void*) { right = right && satisfies(text, *key.text_rule); });
  if (right) return;
  out.add(at, shown_for_keys(shape, value, out), "Map keys must satisfy constraint: " + constraints_of(key),
          is_terse(key));
}

void check_scalars(const Shape& shape, const void* value, const Path& at, Violations& out) {
  const Member& element = *shape.element;
  bool right = true;
  const auto look = [&](const void* each) { right = right && is_right(element, each); };
  if (shape.kind == Kind::list) {
    each_element(shape, value, look);
  } else {
    each_entry(shape, value, [&](const std::string&, const void* each) { look(each); });
  }
  if (right) return;
  out.add(at, shown_collection(shape, value, is_sensitive(element) || is_terse(element), out),
          (shape.kind == Kind::list ? "Member must satisfy constraint: " : "Map value must satisfy constraint: ") +
              constraints_of(element),
          is_terse(element));
}

// Terse messages tell of a map all of whose lists are empty, and may not be, as a whole. Whether they are.
bool report_empty_lists(const Shape& map, const void* value, const Path& at, Violations& out) {
  const Member& element = *map.element;
  if (!element.count_rule || !element.count_rule->terse || element.count_rule->min == 0) return false;
  bool all_empty = size_of(map, value) > 0;
  std::string text;
  each_entry(map, value, [&](const std::string& key, const void* each) {
    all_empty = all_empty && size_of(*element.shape, each) == 0;
    text.append(text.empty() ? "{" : ", ").append(key).append("=[]");
  });
  if (!all_empty) return false;
  out.add(at, text + "}", "Map value must satisfy constraint: " + describe(*element.count_rule));
  return true;
}

void check_value(const Member& member, const void* value, const Path& at, Violations& out);

void check_collection(const Member& member, const void* value, const Path& at, Violations& out) {
  const Shape& shape = *member.shape;
  const Member& element = *shape.element;
  if (member.count_rule) check_count(member, value, at, out);
  if (shape.key && shape.key->text_rule) check_keys(shape, value, at, out);
  if (is_scalar(*element.shape)) {
    if (has_rule(element)) check_scalars(shape, value, at, out);
    return;
  }
  if (!element.checked || (shape.kind == Kind::map && report_empty_lists(shape, value, at, out))) return;
  const auto check_at = [&](const Path& index, const void* each) {
    check_value(element, each, Path(&index, "member"), out);
  };
  if (shape.kind == Kind::list) {
    size_t index = 0;
    each_element(shape, value, [&](const void* each) { check_at(Path(&at, ++index), each); });
  } else {
    each_entry(shape, value, [&](const std::string& key, const void* each) { check_at(Path(&at, key), each); });
  }
}

void check_value(const Member& member, const void* value, const Path& at, Violations& out) {
  switch (member.shape->kind) {
    case Kind::structure:
      return check_structure(*member.shape, value, &at, out);
    case Kind::list:
    case Kind::map:
      return check_collection(member, value, at, out);
    default:
      if (!is_right(member, value)) report_scalar(member, value, at, out);
  }
}

}  // namespace

void check_structure(const Shape& shape, const void* structure, const Path* parent, Violations& out) {
  const uint64_t missing = missing_of(shape, structure);
  for (const Member& member : shape.members) {
    if (member.required & missing) {
      out.add_missing(Path(parent, member));
      continue;
    }
    if (!member.checked) continue;
    if (const void* value = value_of(member, structure)) check_value(member, value, Path(parent, member), out);
  }
}

}  // namespace tidemill::wire::shapes
