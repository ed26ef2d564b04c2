#include "wire/shape_cbor.h"

namespace tidemill::wire::shapes {

namespace {

// ---- Reading ----

void read_value(cbor::Reader& in, const Shape& shape, void* out, const OperationInfo& operation);

const Member* find_member(const Shape& shape, std::string_view name) {
  for (const Member& member : shape.members) {
    if (member.json == name) return &member;
  }
  return nullptr;
}

void read_list(cbor::Reader& in, const Shape& shape, void* out, const OperationInfo& operation) {
  cbor::Reader::Container list = in.open_list();
  for (size_t size = 0; in.more(list); ++size) {
    in.refuse_null();
    if (size >= shape.room) {
      in.skip();
    } else {
      in.take_room(shape.list->stride);
      read_value(in, *shape.element->shape, shape.list->append(out), operation);
    }
  }
}

void read_map(cbor::Reader& in, const Shape& shape, void* out, const OperationInfo& operation) {
  cbor::Reader::Container map = in.open_map();
  while (in.more(map)) {
    std::string key = in.text();
    if (in.null()) continue;
    in.take_room(shape.map->stride);
    read_value(in, *shape.element->shape, shape.map->fresh(out, std::move(key)), operation);
  }
}

void read_value(cbor::Reader& in, const Shape& shape, void* out, const OperationInfo& operation) {
  switch (shape.kind) {
    case Kind::text:
      as<std::string>(out) = in.text();
      return;
    case Kind::boolean:
      as<bool>(out) = in.boolean();
      return;
    case Kind::integer:
      as<int32_t>(out) = in.integer();
      return;
    case Kind::long_integer:
      as<int64_t>(out) = in.long_integer();
      return;
    case Kind::number:
      as<double>(out) = in.number();
      return;
    case Kind::timestamp:
      as<base::Time>(out) = in.timestamp();
      return;
    case Kind::blob:
      as<std::string>(out) = in.bytes();
      return;
    case Kind::list:
      return read_list(in, shape, out, operation);
    case Kind::map:
      return read_map(in, shape, out, operation);
    case Kind::structure:
      return read_cbor(in, shape, out, operation);
    case Kind::document:  // the generator refuses them here
    case Kind::custom:
    case Kind::body_stream:
    case Kind::event_stream:
      return;
  }
}

// ---- Writing ----

void write_value(cbor::Writer& writer, const Shape& shape, const void* value) {
  switch (shape.kind) {
    case Kind::text:
      return writer.text(as<std::string>(value));
    case Kind::boolean:
      return writer.boolean(as<bool>(value));
    case Kind::integer:
      return writer.integer(as<int32_t>(value));
    case Kind::long_integer:
      return writer.integer(as<int64_t>(value));
    case Kind::number:
      return writer.number(as<double>(value));
    case Kind::timestamp:
      return writer.timestamp(as<base::Time>(value));
    case Kind::blob:
      return writer.bytes(as<std::string>(value));
    case Kind::list:
      writer.list(size_of(shape, value));
      return each_element(shape, value,
                          [&](const void* element) { write_value(writer, *shape.element->shape, element); });
    case Kind::map:
      writer.map(size_of(shape, value));
      return each_entry(shape, value, [&](const std::string& key, const void* entry) {
        writer.key(key);
        write_value(writer, *shape.element->shape, entry);
      });
    case Kind::structure:
      return write_cbor(writer, shape, value);
    case Kind::document:
    case Kind::custom:
    case Kind::body_stream:
    case Kind::event_stream:
      return;
  }
}

}  // namespace

void read_cbor(cbor::Reader& in, const Shape& shape, void* structure, const OperationInfo& operation) {
  uint64_t missing = shape.required;
  cbor::Reader::Container map = in.open_map();
  while (in.more(map)) {
    const Member* member = find_member(shape, in.key());
    if (in.null()) continue;
    if (!member) {
      in.skip();
    } else if (member->unsupported) {
      in.refuse_unsupported(operation, member->name, member->details->accepted_text);
    } else {
      read_value(in, *member->shape, arrive(*member, structure, missing), operation);
    }
  }
  set_missing(shape, structure, missing);
}

void write_cbor(cbor::Writer& writer, const Shape& shape, const void* structure) {
  writer.begin_structure();
  for (const Member& member : shape.members) {
    if (!member.shape || member.shape->kind == Kind::event_stream) continue;
    const void* value = value_of(member, structure);
    if (!value) continue;
    writer.key(member.json);
    write_value(writer, *member.shape, value);
  }
  writer.end_structure();
}

}  // namespace tidemill::wire::shapes
