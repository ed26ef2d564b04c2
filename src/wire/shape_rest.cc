#include "wire/shape_rest.h"

#include <algorithm>

#include "wire/read_context.h"
#include "wire/shape_bindings.h"
#include "wire/shape_check.h"
#include "wire/shape_json.h"
#include "wire/shape_writer.h"
#include "wire/shape_xml.h"
#include "wire/validation.h"

namespace tidemill::wire::shapes {

namespace {

bool is_xml(const OperationInfo& operation) { return operation.protocol == Protocol::rest_xml; }

const Member* find_payload(const Shape& shape) {
  const auto found = std::ranges::find(shape.members, Location::payload, &Member::location);
  return found == shape.members.end() ? nullptr : &*found;
}

bool is_in_body(const Member& member) { return member.location == Location::body; }

// ---- Reading ----

void read_structure(std::string_view body, std::string_view root, const Shape& shape, void* out, ReadContext& context) {
  if (!is_xml(context.operation)) return read_json(body, shape, out, context);
  const XmlBody xml(body, root);
  read_xml(xml.root(), shape, out, context.operation);
}

void read_payload(const WireRequest& request, const Member& payload, void* structure, uint64_t& missing,
                  ReadContext& context) {
  if (payload.shape->kind == Kind::body_stream) {
    as<BodyStream>(place_of(payload, structure)) = request.stream;
    return;
  }
  if (request.body.empty()) return;
  void* place = arrive(payload, structure, missing);
  if (payload.shape->kind == Kind::structure) {
    read_structure(request.body, payload.xml, *payload.shape, place, context);
  } else {
    as<std::string>(place) = request.body;
  }
}

// Of text that stands in a label, the query or a header.
void read_text(const std::string& text, const Member& member, void* out, const OperationInfo& operation) {
  const bool names_numbers = is_xml(operation);
  switch (member.shape->kind) {
    case Kind::text:
      as<std::string>(out) = text_of(text);
      return;
    case Kind::boolean:
      // Python's words are what boto3 writes into headers.
      as<bool>(out) = text == "True" || (text != "False" && boolean_of(text));
      return;
    case Kind::integer:
      as<int32_t>(out) = names_numbers ? integer_of(text, member.bound) : integer_of(text);
      return;
    case Kind::long_integer:
      as<int64_t>(out) = names_numbers ? long_of(text, member.bound) : long_of(text);
      return;
    case Kind::number:
      as<double>(out) = double_of(text);
      return;
    case Kind::timestamp:
      as<base::Time>(out) = timestamp_of(text);
      return;
    default:
      return;  // the generator refuses them here
  }
}

const Pairs* pairs_of(const WireRequest& request, Location location) {
  switch (location) {
    case Location::label:
      return &request.labels;
    case Location::query:
      return &request.query;
    case Location::header:
      return &request.headers;
    default:
      return nullptr;
  }
}

void read_bound(const WireRequest& request, const Member& member, void* structure, uint64_t& missing,
                const OperationInfo& operation) {
  if (member.location == Location::prefix_headers) {
    std::optional<std::map<std::string, std::string>> found;
    read_prefixed(request.headers, member.bound, found);
    if (found) as<std::map<std::string, std::string>>(arrive(member, structure, missing)) = *std::move(found);
    return;
  }
  if (member.location == Location::query_params) {
    if (request.query.empty()) return;
    auto& found = as<std::map<std::string, std::vector<std::string>>>(arrive(member, structure, missing));
    for (const auto& [name, value] : request.query) found[text_of(name)].push_back(text_of(value));
    return;
  }
  const Pairs* pairs = pairs_of(request, member.location);
  const std::string* text = pairs ? find(*pairs, member.bound) : nullptr;
  if (!text) return;
  void* place = arrive(member, structure, missing);
  if (member.shape->kind == Kind::list) {
    as<std::vector<std::string>>(place) =
        member.location == Location::query ? all_of(*pairs, member.bound) : list_of(*pairs, member.bound);
  } else {
    read_text(*text, member, place, operation);
  }
}

// ---- Writing ----

void write_header(const Member& member, const void* value, WireResponse& out) {
  const std::string name(member.details->header);
  const auto add = [&](std::string text) { out.headers.emplace_back(name, std::move(text)); };
  switch (member.shape->kind) {
    case Kind::text:
    case Kind::blob:
      if (member.bound == "content-type")
        out.content_type = as<std::string>(value);
      else
        add(as<std::string>(value));
      return;
    case Kind::boolean:
      return add(header_text(as<bool>(value)));
    case Kind::integer:
      return add(header_text(as<int32_t>(value)));
    case Kind::long_integer:
      return add(header_text(as<int64_t>(value)));
    case Kind::timestamp:
      return add(header_text(as<base::Time>(value), member.format.value_or(TimestampFormat::http_date)));
    case Kind::list:
      return add(joined(as<std::vector<std::string>>(value)));
    default:
      return;  // the generator refuses them here
  }
}

void write_headers(const Shape& shape, const void* structure, WireResponse& out) {
  for (const Member& member : shape.members) {
    const bool has_prefix = member.location == Location::prefix_headers;
    if (!has_prefix && member.location != Location::header) continue;
    const void* value = value_of(member, structure);
    if (!value) continue;
    if (has_prefix) {
      write_prefixed(as<std::map<std::string, std::string>>(value), member.details->header, out.headers);
    } else {
      write_header(member, value, out);
    }
  }
}

void write_root(const OperationInfo& operation, std::string_view root, const Shape& shape, const void* structure,
                WireResponse& out) {
  out.content_type = "application/xml";
  XmlWriter xml(out.body);
  xml.declaration_with_encoding();
  xml.open(root, operation.xml_namespace);
  XmlShapes(xml, true).write(shape, structure);
  xml.close(root);
}

void write_payload(const OperationInfo& operation, const Member& payload, const void* structure, WireResponse& out) {
  const void* value = value_of(payload, structure);
  switch (payload.shape->kind) {
    case Kind::body_stream:
      out.content_type = payload.details->media_type;
      out.stream = as<BodyStream>(value);
      return;
    case Kind::structure:
      if (is_xml(operation)) {
        if (value) write_root(operation, payload.xml, *payload.shape, value, out);
        return;
      }
      out.content_type = "application/json";
      if (value) {
        json::Writer writer(out.body);
        write_json(writer, *payload.shape, value);
      }
      return;
    default:
      out.content_type = payload.details->media_type;
      if (value) out.body = as<std::string>(value);
  }
}

// The output's own members as the body.
void write_whole(const OperationInfo& operation, const void* structure, WireResponse& out) {
  const Shape& shape = *operation.output;
  if (!is_xml(operation)) {
    out.content_type = "application/json";
    json::Writer writer(out.body);
    return write_json(writer, shape, structure);
  }
  const auto first = std::ranges::find_if(shape.members, is_in_body);
  if (first == shape.members.end()) return;
  if (!operation.unwrapped_output) return write_root(operation, shape.xml_root, shape, structure, out);
  const void* value = value_of(*first, structure);
  out.content_type = "application/xml";
  XmlWriter xml(out.body);
  xml.declaration_with_encoding();
  xml.text(first->xml, value ? std::string_view(as<std::string>(value)) : std::string_view(), operation.xml_namespace);
}

}  // namespace

void read_rest(const WireRequest& request, void* structure, ReadContext& context) {
  const Shape& shape = *context.operation.input;
  const Member* payload = find_payload(shape);
  uint64_t missing = shape.required;
  if (payload) {
    read_payload(request, *payload, structure, missing, context);
  } else if (std::ranges::any_of(shape.members, is_in_body)) {
    read_structure(request.body, shape.xml_root, shape, structure, context);
    missing = missing_of(shape, structure);
  }
  for (const Member& member : shape.members) {
    if (!member.unsupported) continue;
    if (const Pairs* pairs = pairs_of(request, member.location)) {
      refuse_unsupported(context.operation, *pairs, member.bound, member.details->accepted_text);
    }
  }
  for (const Member& member : shape.members) {
    const bool is_bound = member.location != Location::body && member.location != Location::payload;
    if (is_bound && !member.unsupported) read_bound(request, member, structure, missing, context.operation);
  }
  set_missing(shape, structure, missing);
}

void check_payload(const OperationInfo& operation, const void* structure) {
  const Shape& shape = *operation.input;
  const Member* payload = find_payload(shape);
  if (!payload) return;
  if (missing_of(shape, structure) & payload->required) throw missing_body();
  const void* value = value_of(*payload, structure);
  if (!value || payload->shape->kind != Kind::structure || !payload->checked) return;
  Violations violations(true);
  check_structure(*payload->shape, value, nullptr, violations);
  if (violations.any()) throw malformed_xml();
}

void write_rest_head(const OperationInfo& operation, const void* structure, WireResponse& out) {
  const Shape& shape = *operation.output;
  for (const Member& member : shape.members) {
    if (member.location != Location::status) continue;
    if (const void* value = value_of(member, structure)) out.status = as<int32_t>(value);
  }
  write_headers(shape, structure, out);
}

void write_rest(const OperationInfo& operation, const void* structure, WireResponse& out) {
  constexpr int kNoContent = 204;
  const Shape& shape = *operation.output;
  if (const Member* payload = find_payload(shape)) {
    write_payload(operation, *payload, structure, out);
  } else if (operation.success_status != kNoContent) {
    write_whole(operation, structure, out);
  }
  write_rest_head(operation, structure, out);  // may name another content type
}

}  // namespace tidemill::wire::shapes
