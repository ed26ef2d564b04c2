#include "wire/shape_events.h"

#include <algorithm>

#include "base/json.h"
#include "wire/shape_cbor.h"
#include "wire/shape_json.h"
#include "wire/shape_xml.h"

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

// The blob that is its whole payload, of an event that has one.
const Member* find_event_payload(const Shape& event) {
  const auto found = std::ranges::find(event.members, Location::payload, &Member::location);
  return found == event.members.end() ? nullptr : &*found;
}

// Of rest-xml: a structure under its name.
std::string payload_as_xml(const Member& payload, const void* structure) {
  std::string text;
  XmlWriter xml(text);
  xml.open(payload.xml);
  if (structure) XmlShapes(xml, true).write(*payload.shape, structure);
  xml.close(payload.xml);
  return text;
}

EventMessage encode_member(const Member& member, const void* value, Encoding encoding) {
  if (member.shape->members.empty()) return {.type = member.name, .payload = {}, .has_payload = false};
  const Member* payload = find_event_payload(*member.shape);
  if (!payload) return {member.name, encode(*member.shape, value, encoding)};
  const void* content = value_of(*payload, value);
  if (payload->shape->kind == Kind::structure) return {member.name, payload_as_xml(*payload, content), "text/xml"};
  return {member.name, content ? as<std::string>(content) : std::string(), "application/octet-stream"};
}

}  // namespace

EventMessage encode_event(const Shape& events, const void* event, Encoding encoding) {
  for (const Member& member : events.members) {
    if (const void* value = value_of(member, event)) return encode_member(member, value, encoding);
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
  EventFormat format{.operation = operation, .encoding = encoding, .modeled = events.values};
  const bool is_rest = operation.protocol == Protocol::rest_json || operation.protocol == Protocol::rest_xml;
  if (!is_rest) format.initial_response = encode(*operation.output, output, encoding);
  return message_stream(std::move(format), events.events->source(place_of(stream, output), events, encoding));
}

}  // namespace tidemill::wire::shapes
