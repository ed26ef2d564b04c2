#include "services/states/tasks/result_check.h"

#include <algorithm>

#include "base/text.h"
#include "services/states/tasks/sdk_names.h"
#include "wire/validation.h"

namespace tidemill::states::tasks {
namespace {

using base::cat;
using wire::shapes::Kind;
using wire::shapes::Member;
using wire::shapes::Shape;

// What a value of the kind must be; empty: anything goes.
std::string_view wanted(Kind kind) {
  switch (kind) {
    case Kind::text:
    case Kind::timestamp:
    case Kind::blob:
    case Kind::body_stream:
      return "a string";
    case Kind::boolean:
      return "a boolean";
    case Kind::integer:
    case Kind::long_integer:
    case Kind::number:
      return "a number";
    case Kind::list:
      return "an array";
    case Kind::map:
    case Kind::structure:
      return "an object";
    case Kind::document:
    case Kind::custom:
    case Kind::event_stream:
      break;
  }
  return "";
}

bool is_of(const json::Value& value, Kind kind) {
  const std::string_view what = wanted(kind);
  if (what == "a string") return value.is_string();
  if (what == "a boolean") return value.is_boolean();
  if (what == "a number") return value.is_number();
  if (what == "an array") return value.is_array();
  return what.empty() || value.is_object();
}

// Code points; of a blob what stands for it.
size_t length_of(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

std::string text_problem(const std::string& field, const std::string& text, const Member& member) {
  const auto& values = member.shape->values;
  if (!values.empty() && std::ranges::find(values, text) == values.end()) {
    return cat("Field '", field, "' is not an expected value");
  }
  if (!member.text_rule) return "";
  const size_t length = length_of(text);
  if (length < member.text_rule->min) return cat("Field '", field, "' is smaller than the minimum length");
  if (length > member.text_rule->max) return cat("Field '", field, "' exceeds the maximum length");
  return "";
}

std::string number_problem(const std::string& field, const json::Value& value, const Member& member) {
  const auto number = value.to_double();
  if (!member.number_rule || !number) return "";
  if (*number < static_cast<double>(member.number_rule->min))
    return cat("Field '", field, "' is less than the minimum value");
  if (*number > static_cast<double>(member.number_rule->max))
    return cat("Field '", field, "' exceeds the maximum value");
  return "";
}

std::string value_problem(const std::string& field, const json::Value& value, const Member& member, bool wants_all);

std::string elements_problem(const std::string& field, const json::Value& value, const Member& member, bool wants_all) {
  const Member& element = *member.shape->element;
  if (!element.shape) return "";
  if (value.is_array()) {
    for (const json::Value& each : value.array()) {
      if (auto problem = value_problem(field, each, element, wants_all); !problem.empty()) return problem;
    }
  } else {
    for (const auto& [key, each] : value.object()) {
      if (auto problem = value_problem(key, each, element, wants_all); !problem.empty()) return problem;
    }
  }
  return "";
}

std::string value_problem(const std::string& field, const json::Value& value, const Member& member, bool wants_all) {
  if (value.is_null()) return "";
  const Shape& shape = *member.shape;
  if (!is_of(value, shape.kind)) return cat("Field '", field, "' must be ", wanted(shape.kind));
  switch (shape.kind) {
    case Kind::text:
    case Kind::blob:
      return text_problem(field, value.string(), member);
    case Kind::integer:
    case Kind::long_integer:
    case Kind::number:
      return number_problem(field, value, member);
    case Kind::list:
    case Kind::map:
      return elements_problem(field, value, member, wants_all);
    case Kind::structure:
      return shape_problem(value, shape, wants_all);
    default:
      return "";
  }
}

}  // namespace

std::string shape_problem(const json::Value& result, const Shape& shape, bool wants_all) {
  for (const Member& member : shape.members) {
    const std::string field = sdk_name(member.name);
    const json::Value* const value = result.find(field);
    if (!value) {
      if (wants_all && member.required) return cat("Required field '", field, "' is missing");
      continue;
    }
    if (!member.shape) continue;
    if (auto problem = value_problem(field, *value, member, wants_all); !problem.empty()) return problem;
  }
  return "";
}

}  // namespace tidemill::states::tasks
