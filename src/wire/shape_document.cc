#include "wire/shape_document.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/base64.h"
#include "base/json_objects.h"
#include "net/http.h"
#include "wire/shape_check.h"
#include "wire/shape_codec.h"
#include "wire/shape_json.h"
#include "wire/unsupported.h"

namespace tidemill::wire::shapes {

namespace {

// ---- Names ----

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
char capital(char c) { return is_small(c) ? static_cast<char>(c - 'a' + 'A') : c; }

std::string document_name(const Member& member) {
  std::string name(member.name);
  name[0] = capital(name[0]);
  return name;
}

const Member* find_member(const Shape& shape, std::string_view name) {
  const Member* capitalized = nullptr;
  for (const Member& member : shape.members) {
    if (member.name == name) return &member;
    if (!name.empty() && capital(member.name[0]) == name[0] && member.name.substr(1) == name.substr(1))
      capitalized = &member;
  }
  return capitalized;
}

// ---- Reading: in the words of the JSON protocols ----

[[noreturn]] void refuse(std::string message) { throw serialization_error(std::move(message)); }

std::string_view token_name(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::string:
      return "STRING_VALUE";
    case json::Kind::boolean:
      return value.boolean() ? "TRUE_VALUE" : "FALSE_VALUE";
    case json::Kind::number:
      return value.number_text().find_first_of(".eE") == std::string::npos ? "NUMBER_VALUE" : "DECIMAL_VALUE";
    default:
      return "NULL_VALUE";
  }
}

[[noreturn]] void refuse_type(const json::Value& value, std::string_view type_name) {
  if (value.is_object()) refuse("Start of structure or map found where not expected");
  if (value.is_array()) refuse("Unrecognized collection type class java.lang." + std::string(type_name));
  refuse(std::string(token_name(value)) + " cannot be converted to " + std::string(type_name));
}

const std::string& text_in(const json::Value& value, std::string_view type_name) {
  if (!value.is_string()) refuse_type(value, type_name);
  return value.string();
}

// Fractions are cut off; what is beyond the range is its end.
template <class Number>
Number integer_in(const json::Value& value, std::string_view type_name) {
  if (!value.is_number()) refuse_type(value, type_name);
  constexpr int64_t kMin = std::numeric_limits<Number>::min();
  constexpr int64_t kMax = std::numeric_limits<Number>::max();
  if (const auto whole = value.to_int64()) return static_cast<Number>(std::clamp(*whole, kMin, kMax));
  const double number = value.to_double().value_or(0);
  if (number >= static_cast<double>(kMax)) return static_cast<Number>(kMax);
  if (number <= static_cast<double>(kMin)) return static_cast<Number>(kMin);
  return static_cast<Number>(number);
}

double number_in(const json::Value& value) {
  const auto number = value.to_double();
  if (!number) refuse_type(value, "Double");
  return *number;
}

base::Time time_in(const json::Value& value) {
  std::optional<base::Time> time;
  if (value.is_number()) {
    time = time_from_seconds(number_in(value));
  } else {
    time = parse_timestamp(text_in(value, "Timestamp"), TimestampFormat::date_time);
  }
  if (!time) refuse("Unexpected value of a timestamp");
  return *time;
}

std::string blob_in(const json::Value& value) {
  auto bytes = base::base64_decode(text_in(value, "Blob"));
  if (!bytes) refuse("A blob is not base64");
  return *std::move(bytes);
}

std::string body_in(const json::Value& value) { return value.is_string() ? value.string() : json::write(value); }

void read_structure(const json::Value& value, const Shape& shape, void* out, ReadContext& context);
void read_value(const json::Value& value, const Member& member, void* out, ReadContext& context);

void read_list(const json::Value& value, const Shape& shape, void* out, ReadContext& context) {
  if (value.is_object()) refuse("Start of structure or map found where not expected");
  if (!value.is_array()) refuse("Unexpected field type");
  size_t size = 0;
  for (const json::Value& element : value.array()) {
    if (element.is_null()) refuse_null_element();
    if (size++ < shape.room) read_value(element, *shape.element, shape.list->append(out), context);
  }
}

const json::Object& object_in(const json::Value& value, const Shape& shape) {
  if (value.is_array()) refuse("Unrecognized collection type class " + std::string(shape.class_name));
  if (!value.is_object()) refuse("Unexpected field type");
  return value.object();
}

void read_map(const json::Value& value, const Shape& shape, void* out, ReadContext& context) {
  for (const auto& [key, entry] : object_in(value, shape)) {
    if (!entry.is_null()) read_value(entry, *shape.element, shape.map->fresh(out, key), context);
  }
}

void read_value(const json::Value& value, const Member& member, void* out, ReadContext& context) {
  const Shape& shape = *member.shape;
  const bool is_body = member.location == Location::payload;
  switch (shape.kind) {
    case Kind::text:
      as<std::string>(out) = is_body ? body_in(value) : text_in(value, "String");
      return;
    case Kind::boolean:
      if (!value.is_boolean()) refuse_type(value, "Boolean");
      as<bool>(out) = value.boolean();
      return;
    case Kind::integer:
      as<int32_t>(out) = integer_in<int32_t>(value, "Integer");
      return;
    case Kind::long_integer:
      as<int64_t>(out) = integer_in<int64_t>(value, "Long");
      return;
    case Kind::number:
      as<double>(out) = number_in(value);
      return;
    case Kind::timestamp:
      as<base::Time>(out) = time_in(value);
      return;
    case Kind::blob:
      as<std::string>(out) = is_body ? body_in(value) : blob_in(value);
      return;
    case Kind::document:
      as<json::Value>(out) = value;
      return;
    case Kind::list:
      return read_list(value, shape, out, context);
    case Kind::map:
      return read_map(value, shape, out, context);
    case Kind::structure:
      return read_structure(value, shape, out, context);
    case Kind::custom:
      object_in(value, shape);
      return read_custom_json(json::write(value), shape, out, context);
    case Kind::body_stream:
      as<BodyStream>(out) = BodyStream(body_in(value));
      return;
    case Kind::event_stream:
      return;  // requests have none
  }
}

// A member that AWS has and Tidemill lacks may have a value that asks for nothing.
void refuse_unless_accepted(const Member& member, const json::Value& value, const OperationInfo& operation) {
  if (value.is_array() && value.array().empty()) return;
  if (value.is_object() && value.object().empty()) return;
  const std::string_view accepted = member.details->accepted_json;
  if (!accepted.empty() && json::equal(value, *json::parse(accepted))) return;
  throw unsupported_parameter(operation, member.name);
}

void read_structure(const json::Value& value, const Shape& shape, void* out, ReadContext& context) {
  uint64_t missing = shape.required;
  for (const auto& [name, entry] : object_in(value, shape)) {
    if (entry.is_null()) continue;
    const Member* member = find_member(shape, name);
    if (!member) throw unsupported_parameter(context.operation, name);
    if (member->unsupported) {
      refuse_unless_accepted(*member, entry, context.operation);
    } else {
      read_value(entry, *member, arrive(*member, out, missing), context);
    }
  }
  set_missing(shape, out, missing);
}

// ---- Writing ----

json::Value written(const Member& member, const void* value, const OperationInfo& operation);

[[nodiscard]] json::Value body_text(std::string text, const OperationInfo& operation) {
  if (simdjson::validate_utf8(text)) return text;
  throw Error(std::string(operation.unsupported_error), 400,
              "The body of the answer of " + std::string(operation.name) + " is not text");
}

json::Value structure_written(const Shape& shape, const void* structure, const OperationInfo& operation) {
  json::Object object;
  for (const Member& member : shape.members) {
    if (member.unsupported || member.shape->kind == Kind::body_stream) continue;
    if (const void* value = value_of(member, structure)) {
      object.set(document_name(member), written(member, value, operation));
    }
  }
  return object;
}

json::Value custom_written(const Shape& shape, const void* value) {
  std::string text;
  json::Writer writer(text);
  shape.codec->write(writer, value);
  return json::parse(text).value();
}

json::Value written(const Member& member, const void* value, const OperationInfo& operation) {
  const Shape& shape = *member.shape;
  switch (shape.kind) {
    case Kind::text:
      return as<std::string>(value);
    case Kind::boolean:
      return as<bool>(value);
    case Kind::integer:
      return as<int32_t>(value);
    case Kind::long_integer:
      return as<int64_t>(value);
    case Kind::number:
      return as<double>(value);
    case Kind::timestamp:
      return format_timestamp(as<base::Time>(value), TimestampFormat::date_time);
    case Kind::blob:
      if (member.location == Location::payload) return body_text(as<std::string>(value), operation);
      return base::base64_encode(as<std::string>(value));
    case Kind::document:
      return as<json::Value>(value);
    case Kind::list: {
      json::Array array;
      each_element(shape, value, [&](const void* each) { array.push_back(written(*shape.element, each, operation)); });
      return array;
    }
    case Kind::map: {
      std::vector<json::Member> members;
      each_entry(shape, value, [&](const std::string& key, const void* each) {
        members.emplace_back(key, written(*shape.element, each, operation));
      });
      return json::object_of(std::move(members));
    }
    case Kind::structure:
      return structure_written(shape, value, operation);
    case Kind::custom:
      return custom_written(shape, value);
    case Kind::body_stream:
    case Kind::event_stream:
      return {};  // read by document_of; refused
  }
  return {};
}

const Member* find_body_stream(const Shape& shape) {
  const auto streams = [](const Member& member) { return member.shape && member.shape->kind == Kind::body_stream; };
  const auto found = std::ranges::find_if(shape.members, streams);
  return found == shape.members.end() ? nullptr : &*found;
}

Task<std::string> read_whole(const BodyStream& stream, const OperationInfo& operation) {
  try {
    co_return co_await stream.read_all(kDocumentBodyBytesMax);
  } catch (const net::BodyTooLarge&) {
    throw AnswerTooLong(std::string(operation.unsupported_error), 400,
                "The body of the answer of " + std::string(operation.name) + " is longer than a document may be");
  }
}

}  // namespace

void parse_document(const OperationInfo& operation, const json::Value& document, void* request) {
  if (operation.event_stream) {
    throw Error(std::string(operation.unsupported_error), 400,
                std::string(operation.name) + " answers with a stream of events, which is no document");
  }
  ReadContext context{operation};
  read_structure(document, *operation.input, request, context);
  if (context.deferred) {
    validate(operation, request);
    throw *std::move(context.deferred);
  }
}

Task<json::Value> document_of(const OperationInfo& operation, const void* response) {
  const Shape& shape = *operation.output;
  json::Value document = structure_written(shape, response, operation);
  if (const Member* stream = find_body_stream(shape)) {
    std::string body = co_await read_whole(as<BodyStream>(value_of(*stream, response)), operation);
    document.object().set(document_name(*stream), body_text(std::move(body), operation));
  }
  co_return document;
}

Error as_service_says(const OperationInfo& operation, Error error) {
  if (operation.protocol != Protocol::rest_xml) return error;
  if (error.code == "SerializationException" || error.code == "ValidationException")
    error.code = operation.validation_error;
  return error;
}

}  // namespace tidemill::wire::shapes
