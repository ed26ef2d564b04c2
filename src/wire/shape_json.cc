#include "wire/shape_json.h"

#include "base/json_decimal.h"
#include "wire/shape_codec.h"
#include "wire/shape_reader.h"
#include "wire/shape_writer.h"

namespace tidemill::wire::shapes {

namespace {

// ---- Reading ----

void read_structure(Json json, const Shape& shape, void* out, ReadContext& context, Place place);
void read_list(Json json, const Shape& shape, void* out, ReadContext& context, Place place);
void read_map(Json json, const Shape& shape, void* out, ReadContext& context, Place place);

void read_value(Json json, const Member& member, void* out, ReadContext& context, Place place) {
  const Shape& shape = *member.shape;
  switch (shape.kind) {
    case Kind::text:
      as<std::string>(out) = read_string(json);
      return;
    case Kind::boolean:
      as<bool>(out) = read_boolean(json);
      return;
    case Kind::integer:
      as<int32_t>(out) = read_integer(json);
      return;
    case Kind::long_integer:
      as<int64_t>(out) = read_long(json);
      return;
    case Kind::number:
      as<double>(out) = read_double(json);
      return;
    case Kind::timestamp:
      as<base::Time>(out) = read_timestamp(json, member.format.value_or(TimestampFormat::epoch_seconds));
      return;
    case Kind::blob:
      as<std::string>(out) = read_blob(json);
      return;
    case Kind::document:
      as<json::Value>(out) = read_document(json);
      return;
    case Kind::list:
      return read_list(json, shape, out, context, place);
    case Kind::map:
      return read_map(json, shape, out, context, place);
    case Kind::structure:
      return read_structure(json, shape, out, context, place);
    case Kind::custom:
      context.shape = shape.name;
      return shape.codec->parse(json, out, context);
    case Kind::body_stream:
    case Kind::event_stream:
      return;  // never in a JSON body
  }
}

Place place_in_collection(const Member& element) {
  const Kind kind = element.shape->kind;
  return kind == Kind::list || kind == Kind::map ? Place::nested : Place::element;
}

// The member of that name in the body. Clients tend to send members in the order of the model, so the search begins
// behind the one that was found last: `begin`.
const Member* find_member(const Shape& shape, std::string_view name, size_t& begin) {
  const size_t count = shape.members.size();
  for (size_t tried = 0, at = begin; tried < count; ++tried, ++at) {
    if (at >= count) at = 0;
    const Member& member = shape.members[at];
    if (member.json.size() != name.size() || member.location != Location::body || member.json != name) continue;
    begin = at + 1;
    return &member;
  }
  return nullptr;
}

void read_structure(Json json, const Shape& shape, void* out, ReadContext& context, Place place) {
  auto object = open_object(json, place, shape.class_name);
  uint64_t missing = shape.required;
  size_t begin = 0;
  for (auto entry : object) {
    Field field = next_field(entry);
    if (is_null(field.value)) continue;
    const Member* member = find_member(shape, field.name, begin);
    if (!member) continue;
    if (member->unsupported) {
      refuse_unsupported(context, field, member->details->accepted_json);
    } else {
      read_value(field.value, *member, arrive(*member, out, missing), context, Place::field);
    }
  }
  set_missing(shape, out, missing);
}

void read_list(Json json, const Shape& shape, void* out, ReadContext& context, Place place) {
  const Place inside = place_in_collection(*shape.element);
  size_t size = 0;
  for (auto entry : open_array(json, place)) {
    const Json element = next_element(entry);
    if (size >= shape.room) continue;
    ++size;
    context.room.take(shape.list->stride);
    read_value(element, *shape.element, shape.list->append(out), context, inside);
  }
}

void read_map(Json json, const Shape& shape, void* out, ReadContext& context, Place place) {
  const Place inside = place_in_collection(*shape.element);
  auto object = open_object(json, place, shape.class_name);
  for (auto entry : object) {
    Field field = next_field(entry);
    if (is_null(field.value)) continue;
    context.room.take(shape.map->stride);
    read_value(field.value, *shape.element, shape.map->fresh(out, std::string(field.name)), context, inside);
  }
}

// Calls read(root) for a body.
template <class Read>
void read_body(std::string_view text, Read read) {
  try {
    JsonBody body(text);
    read(body.root());
    body.finish();
  } catch (const simdjson::simdjson_error& error) {
    refuse_malformed(error);
  }
}

// ---- Writing ----

void write_value(json::Writer& writer, const Member& member, const void* value);

void write_list(json::Writer& writer, const Shape& shape, const void* value) {
  const Codec* codec = shape.element->shape->codec;
  if (codec && codec->make_room) codec->make_room(writer, value);
  writer.begin_array();
  each_element(shape, value, [&](const void* element) { write_value(writer, *shape.element, element); });
  writer.end_array();
}

void write_map(json::Writer& writer, const Shape& shape, const void* value) {
  writer.begin_object();
  each_entry(shape, value, [&](const std::string& key, const void* entry) {
    writer.key(key);
    write_value(writer, *shape.element, entry);
  });
  writer.end_object();
}

void write_value(json::Writer& writer, const Member& member, const void* value) {
  const Shape& shape = *member.shape;
  switch (shape.kind) {
    case Kind::text:
      return writer.string(as<std::string>(value));
    case Kind::boolean:
      return writer.boolean(as<bool>(value));
    case Kind::integer:
      return writer.integer(as<int32_t>(value));
    case Kind::long_integer:
      return writer.integer(as<int64_t>(value));
    case Kind::number:
      return json::write_decimal(writer, as<double>(value));
    case Kind::timestamp:
      return write_timestamp(writer, as<base::Time>(value), member.format.value_or(TimestampFormat::epoch_seconds));
    case Kind::blob:
      return write_blob(writer, as<std::string>(value));
    case Kind::document:
      return writer.value(as<json::Value>(value));
    case Kind::list:
      return write_list(writer, shape, value);
    case Kind::map:
      return write_map(writer, shape, value);
    case Kind::structure:
      return write_json(writer, shape, value);
    case Kind::custom:
      return shape.codec->write(writer, value);
    case Kind::body_stream:
    case Kind::event_stream:
      return;  // never in a JSON body
  }
}

}  // namespace

void read_json(std::string_view body, const Shape& shape, void* structure, ReadContext& context) {
  read_body(body, [&](Json root) { read_structure(root, shape, structure, context, Place::field); });
}

void read_custom_json(std::string_view text, const Shape& shape, void* value, ReadContext& context) {
  read_body(text, [&](Json root) { shape.codec->parse(root, value, context); });
}

void write_json_map(json::Writer& writer, const Shape& map, const void* value) { write_map(writer, map, value); }

void write_json(json::Writer& writer, const Shape& shape, const void* structure) {
  writer.begin_object();
  for (const Member& member : shape.members) {
    if (member.location != Location::body || !member.shape || member.shape->kind == Kind::event_stream) continue;
    const void* value = value_of(member, structure);
    if (!value) continue;
    writer.key(member.json);
    write_value(writer, member, value);
  }
  writer.end_object();
}

}  // namespace tidemill::wire::shapes
