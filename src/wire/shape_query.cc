#include "wire/shape_query.h"

namespace tidemill::wire::shapes {

namespace {

void read_value(const QueryNode& node, const Member& member, void* out, const OperationInfo& operation);

// What stands between a collection's name and its elements' numbers.
std::string_view wrapper_of(const Member& member) {
  if (member.flattened) return {};
  return member.shape->kind == Kind::map ? "entry" : member.shape->element->xml;
}

void read_list(const QueryNode& node, const Member& member, void* out, const OperationInfo& operation) {
  const Shape& shape = *member.shape;
  for (const QueryNode* element : query_elements(node, wrapper_of(member))) {
    read_value(*element, *shape.element, shape.list->append(out), operation);
  }
}

void read_map(const QueryNode& node, const Member& member, void* out, const OperationInfo& operation) {
  const Shape& shape = *member.shape;
  for (const QueryNode* entry : query_elements(node, wrapper_of(member))) {
    const QueryNode* key = entry->find(shape.key->xml);
    const QueryNode* value = entry->find(shape.element->xml);
    if (!key || !value) continue;
    read_value(*value, *shape.element, shape.map->fresh(out, query_text(*key)), operation);
  }
}

void read_value(const QueryNode& node, const Member& member, void* out, const OperationInfo& operation) {
  switch (member.shape->kind) {
    case Kind::text:
      as<std::string>(out) = query_text(node);
      return;
    case Kind::boolean:
      as<bool>(out) = query_boolean(node);
      return;
    case Kind::integer:
      as<int32_t>(out) = query_integer(node);
      return;
    case Kind::long_integer:
      as<int64_t>(out) = query_long(node);
      return;
    case Kind::number:
      as<double>(out) = query_double(node);
      return;
    case Kind::timestamp:
      as<base::Time>(out) = query_timestamp(node);
      return;
    case Kind::blob:
      as<std::string>(out) = query_blob(node);
      return;
    case Kind::list:
      return read_list(node, member, out, operation);
    case Kind::map:
      return read_map(node, member, out, operation);
    case Kind::structure:
      return read_query(node, *member.shape, out, operation);
    case Kind::document:  // the generator refuses them here
    case Kind::custom:
    case Kind::body_stream:
    case Kind::event_stream:
      return;
  }
}

}  // namespace

void read_query(const QueryNode& form, const Shape& shape, void* structure, const OperationInfo& operation) {
  uint64_t missing = shape.required;
  for (const Member& member : shape.members) {
    const QueryNode* node = form.find(member.xml);
    if (!node) continue;
    if (member.unsupported) {
      refuse_unsupported(operation, *node, member.name, member.details->accepted_text);
    } else {
      read_value(*node, member, arrive(member, structure, missing), operation);
    }
  }
  set_missing(shape, structure, missing);
}

}  // namespace tidemill::wire::shapes
