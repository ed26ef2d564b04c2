#include "wire/shape_xml.h"

#include <cmath>

#include "base/base64.h"
#include "base/json.h"
#include "base/json_decimal.h"
#include "wire/error.h"
#include "wire/shape_writer.h"

namespace tidemill::wire::shapes {

namespace {

// ---- Reading ----

void read_value(XmlElement element, const Shape& shape, void* out, const OperationInfo& operation);

void read_list(XmlElement element, const Shape& shape, void* out, const OperationInfo& operation) {
  for (XmlElement child = element.first(); child; child = child.next()) {
    if (child.name() != shape.element->xml) throw malformed_xml();
    read_value(child, *shape.element->shape, shape.list->append(out), operation);
  }
}

void read_map(XmlElement element, const Shape& shape, void* out, const OperationInfo& operation) {
  for (XmlElement entry = element.first(); entry; entry = entry.next()) {
    XmlElement key, value;
    for (XmlElement child = entry.first(); child; child = child.next()) {
      if (child.name() == shape.key->xml)
        key = child;
      else if (child.name() == shape.element->xml)
        value = child;
      else
        throw malformed_xml();
    }
    if (!key || !value) throw malformed_xml();
    read_value(value, *shape.element->shape, shape.map->fresh(out, xml_text(key)), operation);
  }
}

void read_value(XmlElement element, const Shape& shape, void* out, const OperationInfo& operation) {
  switch (shape.kind) {
    case Kind::text:
      as<std::string>(out) = xml_text(element);
      return;
    case Kind::boolean:
      as<bool>(out) = xml_boolean(element);
      return;
    case Kind::integer:
      as<int32_t>(out) = xml_integer(element);
      return;
    case Kind::long_integer:
      as<int64_t>(out) = xml_long(element);
      return;
    case Kind::number:
      as<double>(out) = xml_double(element);
      return;
    case Kind::timestamp:
      as<base::Time>(out) = xml_timestamp(element);
      return;
    case Kind::blob:
      as<std::string>(out) = xml_blob(element);
      return;
    case Kind::list:
      return read_list(element, shape, out, operation);
    case Kind::map:
      return read_map(element, shape, out, operation);
    case Kind::structure:
      return read_xml(element, shape, out, operation);
    case Kind::document:  // the generator refuses them here
    case Kind::custom:
    case Kind::body_stream:
    case Kind::event_stream:
      return;
  }
}

const Member* find_member(const Shape& shape, std::string_view name) {
  for (const Member& member : shape.members) {
    if (member.location == Location::body && !member.attribute && member.xml == name) return &member;
  }
  return nullptr;
}

// One more element of a list that has no element around it.
void read_flattened(XmlElement element, const Member& member, void* structure, uint64_t& missing,
                    const OperationInfo& operation) {
  void* list = place_of(member, structure);
  if (member.optional) list = member.optional->get_or_emplace(list);
  read_value(element, *member.shape->element->shape, member.shape->list->append(list), operation);
  missing &= ~member.required;
}

void read_attributes(XmlElement element, const Shape& shape, void* structure, uint64_t& missing) {
  for (const Member& member : shape.members) {
    if (!member.attribute) continue;
    if (auto text = element.attribute(member.xml)) {
      as<std::string>(arrive(member, structure, missing)) = *std::move(text);
    }
  }
}

}  // namespace

void read_xml(XmlElement element, const Shape& shape, void* structure, const OperationInfo& operation) {
  uint64_t missing = shape.required;
  for (XmlElement child = element.first(); child; child = child.next()) {
    const Member* member = find_member(shape, child.name());
    if (!member) throw malformed_xml();
    if (member->unsupported) {
      refuse_unsupported(operation, child, member->name, member->details->accepted_text);
    } else if (member->flattened && member->shape->kind == Kind::list) {
      read_flattened(child, *member, structure, missing, operation);
    } else {
      read_value(child, *member->shape, arrive(*member, structure, missing), operation);
    }
  }
  read_attributes(element, shape, structure, missing);
  set_missing(shape, structure, missing);
}

// ---- Writing ----

std::string xml_text_of(const Member& member, const void* value, bool with_milliseconds) {
  switch (member.shape->kind) {
    case Kind::text:
      return as<std::string>(value);
    case Kind::boolean:
      return header_text(as<bool>(value));
    case Kind::integer:
      return header_text(as<int32_t>(value));
    case Kind::long_integer:
      return header_text(as<int64_t>(value));
    case Kind::number:
      return std::isfinite(as<double>(value)) ? json::decimal_text(as<double>(value)) : "NaN";
    case Kind::blob:
      return base::base64_encode(as<std::string>(value));
    case Kind::timestamp:
      if (!member.format && with_milliseconds) return xml_time(as<base::Time>(value));
      return format_timestamp(as<base::Time>(value), member.format.value_or(TimestampFormat::date_time));
    default:
      return {};
  }
}

void XmlShapes::open(const Member& member, std::string_view name, const void* structure) {
  const MemberDetails& details = *member.details;
  if (details.namespace_uri.empty() && !member.wraps_attributes) return xml_.open(name);
  xml_.begin(name);
  if (!details.namespace_uri.empty()) {
    const std::string_view prefix = details.namespace_prefix;
    xml_.attribute(prefix.empty() ? "xmlns" : "xmlns:" + std::string(prefix), details.namespace_uri);
  }
  for (const Member& attribute : member.shape->members) {
    if (!attribute.attribute) continue;
    if (const void* value = value_of(attribute, structure)) xml_.attribute(attribute.xml, text_of(attribute, value));
  }
  xml_.end();
}

void XmlShapes::write_list(const Member& member, std::string_view name, const void* value) {
  const Member& element = *member.shape->element;
  if (!member.flattened) xml_.open(name);
  each_element(*member.shape, value,
               [&](const void* each) { write_value(element, member.flattened ? name : element.xml, each); });
  if (!member.flattened) xml_.close(name);
}

void XmlShapes::write_map(const Member& member, std::string_view name, const void* value) {
  const Shape& shape = *member.shape;
  const std::string_view entry = member.flattened ? name : "entry";
  if (!member.flattened) xml_.open(name);
  each_entry(shape, value, [&](const std::string& key, const void* each) {
    xml_.open(entry);
    xml_.text(shape.key->xml, key);
    write_value(*shape.element, shape.element->xml, each);
    xml_.close(entry);
  });
  if (!member.flattened) xml_.close(name);
}

void XmlShapes::write_value(const Member& member, std::string_view name, const void* value) {
  switch (member.shape->kind) {
    case Kind::text:
      return xml_.text(name, as<std::string>(value));
    case Kind::list:
      return write_list(member, name, value);
    case Kind::map:
      return write_map(member, name, value);
    case Kind::structure:
      open(member, name, value);
      write(*member.shape, value);
      return xml_.close(name);
    default:
      return xml_.plain(name, text_of(member, value));
  }
}

void XmlShapes::write(const Shape& shape, const void* structure) {
  for (const Member& member : shape.members) {
    if (member.location != Location::body || member.attribute || member.unsupported) continue;
    if (const void* value = value_of(member, structure)) write_value(member, member.xml, value);
  }
}

}  // namespace tidemill::wire::shapes
