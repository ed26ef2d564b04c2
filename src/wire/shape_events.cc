#include "wire/shape_events.h"

#include "base/json.h"
#include "wire/shape_cbor.h"
#include "wire/shape_json.h"

namespace tidemill::wire::shapes {

namespace {

std::string encode(const Shape& shape, const void* structure, Encoding encoding) {
  std::string text;
  if (is_cbor(encoding)) {
    cbor::Writer writer(text, time_unit_of(encoding));
    write_cbor(writer, shape, structure);
  } else {
    json::Writer writer(text);
    write_json(writer, shape, structure);
  }
  return text;
}

}  // namespace

EventMessage encode_event(const Shape& events, const void* event, Encoding encoding) {
  for (const Member& member : events.members) {
    if (const void* value = value_of(member, event)) return {member.name, encode(*member.shape, value, encoding)};
  }
  return {};
}

const Member* find_event_stream(const Shape& output) {
  for (const Member& member : output.members) {
    if (member.shape && member.shape->kind == Kind::event_stream) return &member;
  }
  return nullptr;
}

BodyStream event_body(const OperationInfo& operation, const Member& stream, const void* output, Encoding encoding) {
  const Shape& events = *stream.shape;
  EventFormat format{operation, encoding, encode(*operation.output, output, encoding), events.values};
  return message_stream(std::move(format), events.events->source(place_of(stream, output), events, encoding));
}

}  // namespace tidemill::wire::shapes
