#include "wire/shape_reader.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/base64.h"

namespace tidemill::wire::shapes {

namespace {

using simdjson::ondemand::json_type;

// Bodies up to here share one parser and buffer per thread; larger ones must not keep their memory.
constexpr size_t kSharedBodyBytesMax = 256 << 10;

std::string_view token_name(Json& json) {
  switch (json.type().value()) {
    case json_type::string: return "STRING_VALUE";
    case json_type::boolean: return json.raw_json_token().starts_with('t') ? "TRUE_VALUE" : "FALSE_VALUE";
    case json_type::number:
      return json.raw_json_token().find_first_of(".eE") == std::string_view::npos ? "NUMBER_VALUE"
                                                                                           : "DECIMAL_VALUE";
    default: return "NULL_VALUE";
  }
}

[[noreturn]] void refuse(std::string message) { throw serialization_error(std::move(message)); }

// `json` is not of the simple type that AWS calls `type_name`, a Java class `class_name`.
[[noreturn]] void refuse_type(Json& json, std::string_view type_name, std::string_view class_name) {
  switch (json.type().value()) {
    case json_type::object: refuse("Start of structure or map found where not expected");
    case json_type::array: refuse("Unrecognized collection type class " + std::string(class_name));
    default: refuse(std::string(token_name(json)) + " cannot be converted to " + std::string(type_name));
  }
}

bool is(Json& json, json_type type) { return json.type().value() == type; }

// A number that is no int64: a fraction is cut off, too large a magnitude becomes the range's end.
int64_t truncated(Json& json) {
  const auto number = json::parse(json.raw_json_token());
  if (!number || !number->is_number()) refuse("");
  const std::string& text = number->number_text();
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc::result_out_of_range) {
    const bool is_tiny = text.find("e-") != std::string::npos || text.find("E-") != std::string::npos;
    value = is_tiny ? 0 : text.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
  }
  if (value >= 0x1p63) return std::numeric_limits<int64_t>::max();
  if (value <= -0x1p63) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

int64_t integer(Json& json, std::string_view type_name, std::string_view class_name) {
  int64_t value = 0;
  if (json.get_int64().get(value) == simdjson::SUCCESS) return value;
  if (!is(json, json_type::number)) refuse_type(json, type_name, class_name);
  return truncated(json);
}

}  // namespace

struct JsonBody::Memory {
  simdjson::ondemand::parser parser;
  std::string text;

  static Memory& of_thread() {
    thread_local Memory memory;
    return memory;
  }
};

JsonBody::JsonBody(std::string_view text)
    : own_(text.size() > kSharedBodyBytesMax ? std::make_unique<Memory>() : nullptr),
      memory_(own_ ? *own_ : Memory::of_thread()) {
  if (text.empty()) text = "{}";
  memory_.text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  memory_.text.assign(text);
  document_ = memory_.parser
                  .iterate(simdjson::padded_string_view(memory_.text.data(), memory_.text.size(), memory_.text.capacity()))
                  .value();
}

JsonBody::~JsonBody() = default;

Json JsonBody::root() {
  if (document_.type().value() != json_type::object) refuse("");
  return document_.get_value().value();
}

void JsonBody::finish() {
  if (document_.current_location().error() == simdjson::SUCCESS) refuse("");
}

void refuse_malformed(const simdjson::simdjson_error&) {
  // AWS gives no text either.
  refuse("");
}

void refuse_null_element() { refuse("Unexpected null in a list"); }

void refuse_scalar(Json, Place place) {
  switch (place) {
    case Place::field: refuse("Unexpected field type");
    case Place::element: refuse("Unexpected value type in payload");
    case Place::nested: break;
  }
  // Word for word what AWS answers here.
  refuse(
      "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class "
      "(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of "
      "loader 'bootstrap')");
}

simdjson::ondemand::object open_object(Json json, Place place, std::string_view class_name) {
  switch (json.type().value()) {
    case json_type::object: return json.get_object().value();
    case json_type::array: {
      const bool generic = class_name.ends_with('>');
      refuse((generic ? "Unrecognized collection type " : "Unrecognized collection type class ") + std::string(class_name));
    }
    default: refuse_scalar(json, place);
  }
}

simdjson::ondemand::array open_array(Json json, Place place) {
  switch (json.type().value()) {
    case json_type::array: return json.get_array().value();
    case json_type::object: refuse("Start of structure or map found where not expected");
    default: refuse_scalar(json, place);
  }
}

std::string read_string(Json json) {
  if (!is(json, json_type::string)) refuse_type(json, "String", "java.lang.String");
  return std::string(json.get_string().value());
}

bool read_boolean(Json json) {
  if (is(json, json_type::string)) refuse("Unexpected token received from parser");
  if (!is(json, json_type::boolean)) refuse_type(json, "Boolean", "java.lang.Boolean");
  return json.get_bool().value();
}

int32_t read_integer(Json json) {
  const int64_t value = integer(json, "Integer", "java.lang.Integer");
  constexpr int64_t kMin = std::numeric_limits<int32_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(std::min(std::max(value, kMin), kMax));
}

int64_t read_long(Json json) { return integer(json, "Long", "java.lang.Long"); }

double read_double(Json json) {
  if (!is(json, json_type::number)) refuse_type(json, "Double", "java.lang.Double");
  return json.get_double().value();
}

std::string read_blob(Json json) {
  switch (json.type().value()) {
    case json_type::string: break;
    case json_type::object:
    case json_type::array: refuse_type(json, "Blob", "java.nio.ByteBuffer");
    default: refuse("only base-64-encoded strings are convertible to bytes");
  }
  const std::string_view text = json.get_string().value();
  std::string bytes;
  if (base::append_base64_decoded(bytes, text)) return bytes;
  if (text.size() % 4 != 0) {
    refuse("Base64 encoded length is expected a multiple of 4 bytes but found: " + std::to_string(text.size()));
  }
  // Spelled as AWS spells it.
  refuse("Invalid last non-pad Base64 character dectected");
}

base::Time read_timestamp(Json json, TimestampFormat format) {
  std::optional<base::Time> time;
  if (is(json, json_type::number)) {
    time = time_from_seconds(json.get_double().value());
  } else if (is(json, json_type::string) && format != TimestampFormat::epoch_seconds) {
    time = parse_timestamp(json.get_string().value(), format);
  } else {
    refuse_type(json, "milliseconds since epoch", "java.util.Date");
  }
  if (!time) refuse("Unexpected value of a timestamp");
  return *time;
}

json::Value read_document(Json json) {
  std::string_view text;
  switch (json.type().value()) {
    case json_type::object: text = json.get_object().value().raw_json().value(); break;
    case json_type::array: text = json.get_array().value().raw_json().value(); break;
    default: text = json.raw_json_token();
  }
  auto document = json::parse(text);
  if (!document) refuse(document.error().message);
  return std::move(*document);
}

void refuse_unsupported(const ReadContext& context, Field& field, std::string_view accepted) {
  const std::string name(field.name);
  const json::Value value = read_document(field.value);
  if (value.is_array() && value.array().empty()) return;
  if (value.is_object() && value.object().empty()) return;
  if (!accepted.empty() && json::equal(value, *json::parse(accepted))) return;
  throw unsupported_parameter(context.operation, name);
}

}  // namespace tidemill::wire::shapes
