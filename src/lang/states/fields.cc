#include "lang/states/fields.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace tidemill::lang::states {

namespace {

using Names = std::initializer_list<std::string_view>;

size_t characters(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; }

bool is_variable_name(std::string_view name) {
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || c == '_' || (c >= '0' && c <= '9'); });
}

}  // namespace

std::string listed(std::span<const std::string_view> names) {
  std::string text = "[";
  for (const std::string_view name : names) text += base::cat(text.size() > 1 ? ", " : "", name);
  return text + "]";
}

void Fields::require(Names names) const {
  std::vector<std::string_view> missing;
  std::ranges::copy_if(names, std::back_inserter(missing), [&](std::string_view name) { return !has(name); });
  if (!missing.empty()) refuse(base::cat("These fields are required: ", listed(missing)));
}

void Fields::allow(std::initializer_list<std::span<const std::string_view>> names) const {
  for (const auto& [name, value] : source_) {
    const bool is_known = std::ranges::any_of(
        names, [&](std::span<const std::string_view> some) { return std::ranges::find(some, name) != some.end(); });
    if (!is_known) refuse(base::cat("Field '", name, "' is not supported"));
  }
}

bool Fields::at_most_one(Names names) const {
  if (std::ranges::count_if(names, [&](std::string_view name) { return has(name); }) <= 1) return true;
  refuse(base::cat("There should only be one of the following fields: ", listed({names.begin(), names.size()})));
  return false;
}

bool Fields::exactly_one(Names names) const {
  if (!at_most_one(names)) return false;
  if (std::ranges::any_of(names, [&](std::string_view name) { return has(name); })) return true;
  refuse(
      base::cat("This object should have only one of the following fields: ", listed({names.begin(), names.size()})));
  return false;
}

const std::string* Fields::string(std::string_view name) const {
  const json::Value* const value = get(name);
  if (value && !value->is_string()) refuse(name, "Expected value of type [STRING]");
  return value && value->is_string() ? &value->string() : nullptr;
}

const json::Object* Fields::object(std::string_view name) const {
  const json::Value* const value = get(name);
  if (value && !value->is_object()) refuse(name, "Expected value of type Object");
  return value && value->is_object() ? &value->object() : nullptr;
}

const json::Array* Fields::array(std::string_view name) const {
  const json::Value* const value = get(name);
  if (value && !value->is_array()) refuse(name, "Expected value of type Array");
  return value && value->is_array() ? &value->array() : nullptr;
}

std::optional<bool> Fields::boolean(std::string_view name) const {
  const json::Value* const value = get(name);
  if (!value) return std::nullopt;
  if (value->is_boolean()) return value->boolean();
  refuse(name, "Expected value of type Boolean");
  return std::nullopt;
}

std::optional<int64_t> Fields::integer(std::string_view name, int64_t least, int64_t most) const {
  const json::Value* const value = get(name);
  if (!value) return std::nullopt;
  const auto number = value->to_int64();
  if (!number)
    refuse(name, "Expected value of type Integer");
  else if (*number < least)
    refuse(name, base::cat("Minimum value is ", least));
  else if (*number > most)
    refuse(name, base::cat("Maximum value is ", most));
  else
    return number;
  return std::nullopt;
}

std::optional<double> Fields::number(std::string_view name, double least, double most) const {
  const json::Value* const value = get(name);
  if (!value) return std::nullopt;
  const auto number = value->to_double();
  if (!number)
    refuse(name, "Expected value of type Number");
  else if (*number < least)
    refuse(name, base::cat("Minimum value is ", json::write(json::Value(least))));
  else if (*number > most)
    refuse(name, base::cat("Maximum value is ", json::write(json::Value(most))));
  else
    return number;
  return std::nullopt;
}

const std::string* Fields::one_of(std::string_view name, Names values) const {
  const std::string* const text = string(name);
  if (!text || std::ranges::find(values, *text) != values.end()) return text;
  refuse(name, base::cat("Value should be one of the following: ", listed({values.begin(), values.size()})));
  return nullptr;
}

std::optional<Template> Fields::payload(std::string_view name) const {
  const json::Value* const value = get(name);
  if (!value) return std::nullopt;
  return Template::compile(*value, place_.member(name), report_);
}

std::optional<Template> Fields::assign() const {
  const json::Object* const values = object("Assign");
  if (!values) return std::nullopt;
  const std::string location = place_.member("Assign").location;
  for (const auto& [field, value] : *values) {
    std::string_view name = field;
    if (!is_jsonata() && name.ends_with(".$")) name.remove_suffix(2);
    if (name == "states") {
      report_.error("RESERVED_VARIABLE_NAME", "Cannot assign to reserved variable '$states'.", location);
    } else if (!is_variable_name(name)) {
      report_.error("INVALID_VARIABLE_NAME",
                    base::cat("Invalid variable name '", name, "': the variable name contains invalid characters."),
                    location);
    } else if (characters(name) > kVariableNameCharactersMax) {
      report_.error("INVALID_VARIABLE_NAME",
                    base::cat("Invalid variable name '", name, "': the variable name is longer than 80 characters."),
                    location);
    }
  }
  return payload("Assign");
}

std::unique_ptr<const PathValue> Fields::path(std::string_view name, bool may_be_intrinsic) const {
  const json::Value* const source = get(name);
  if (may_be_intrinsic && source->is_string() && source->string().starts_with("States.")) {
    return compile_path_value(*source, name, place_.location, report_);
  }
  const std::string* const text = string(name);
  if (!text) return nullptr;
  auto value = std::make_unique<PathValue>();
  try {
    value->path = std::make_unique<const jsonpath::Path>(jsonpath::Path::parse(*text));
  } catch (const jsonpath::PathError&) {
    refuse(name, "Value must be a valid JSONPath.");
    return nullptr;
  }
  if (value->path->root() == jsonpath::Path::Root::variable) report_.reads(value->path->variable());
  return value;
}

PathField Fields::path_field(std::string_view name, bool is_reference) const {
  PathField field;
  const json::Value* const source = get(name);
  if (!source) return field;
  if (source->is_null()) {
    field.type = PathField::Type::nothing;
    return field;
  }
  field.path = path(name, !is_reference);
  if (!field.path) return field;
  const jsonpath::Path* const path = field.path->path.get();
  if (is_reference && (!path->is_reference() || path->root() != jsonpath::Path::Root::input)) {
    refuse(name, base::cat("Value is not a Reference Path: ", path->text()));
  }
  const bool is_whole = path && path->is_whole() && path->root() == jsonpath::Path::Root::input;
  field.type = is_whole ? PathField::Type::whole : PathField::Type::path;
  return field;
}

Scalar Fields::path_scalar(std::string_view name, bool may_be_intrinsic) const {
  const std::string field = base::cat(name, "Path");
  if (is_jsonata() || !has(field)) return {};
  Scalar scalar{.field = field, .path = path(field, may_be_intrinsic)};
  if (!scalar.path) scalar = {};
  return scalar;
}

Scalar Fields::scalar(std::string_view name) const {
  const json::Value* const source = get(name);
  if (!source) return {};
  Scalar scalar{.field = std::string(name), .literal = make_document(*source)};
  if (!is_jsonata() || !source->is_string() || !source->string().starts_with("{%")) return scalar;
  const auto text = query_text(source->string());
  if (!text)
    refuse(name, "JSONata string must start with {% and end with %}");
  else
    scalar.query = compile_query(*text, place_.member(name), report_);
  return scalar;
}

Scalar Fields::integer_scalar(std::string_view name, int64_t least, int64_t most) const {
  if (!is_jsonata() && !at_most_one({name, base::cat(name, "Path")})) return {};
  if (!has(name)) return path_scalar(name, false);
  Scalar value = scalar(name);
  if (!value.query) (void)integer(name, least, most);
  return value;
}

Scalar Fields::text_scalar(std::string_view name, bool may_be_intrinsic) const {
  if (!is_jsonata() && !at_most_one({name, base::cat(name, "Path")})) return {};
  if (!has(name)) return path_scalar(name, may_be_intrinsic);
  Scalar value = scalar(name);
  if (!value.query) (void)string(name);
  return value;
}

}  // namespace tidemill::lang::states
