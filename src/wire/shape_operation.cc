// Requests and answers of operations, in whichever protocol they come (declared in wire/registry.h).
#include "base/frame_pool.h"
#include "wire/cbor.h"
#include "wire/read_context.h"
#include "wire/registry.h"
#include "wire/shape_cbor.h"
#include "wire/shape_check.h"
#include "wire/shape_events.h"
#include "wire/shape_json.h"
#include "wire/shape_query.h"
#include "wire/shape_rest.h"
#include "wire/shape_table.h"
#include "wire/shape_xml.h"

namespace tidemill::wire::shapes {

namespace {

bool is_rest(const OperationInfo& operation) {
  return operation.protocol == Protocol::rest_json || operation.protocol == Protocol::rest_xml;
}

void parse_in_form(const WireRequest& in, void* request, ReadContext& context) {
  const Shape& shape = *context.operation.input;
  if (in.form) return read_query(*in.form, shape, request, context.operation);
  if (is_cbor(in.encoding)) {
    cbor::Reader reader(in.body, time_unit_of(in.encoding));
    read_cbor(reader, shape, request, context.operation);
    return reader.finish();
  }
  if (is_rest(context.operation)) return read_rest(in, request, context);
  if (context.operation.protocol != Protocol::query) read_json(in.body, shape, request, context);
}

// <SendMessageResult>…</SendMessageResult>
void serialize_query(const OperationInfo& operation, const void* response, WireResponse& out) {
  if (!operation.output->given) return;
  const std::string result = std::string(operation.name) + "Result";
  XmlWriter xml(out.body);
  xml.open(result);
  XmlShapes(xml, false).write(*operation.output, response);
  xml.close(result);
}

void serialize_cbor(const OperationInfo& operation, const void* response, WireResponse& out) {
  if (!operation.output->given) return;
  cbor::Writer writer(out.body, time_unit_of(out.encoding));
  write_cbor(writer, *operation.output, response);
}

// AWS answers an operation without output with no body at all.
void serialize_json(const OperationInfo& operation, const void* response, WireResponse& out) {
  out.content_type =
      operation.protocol == Protocol::json_1_0 ? "application/x-amz-json-1.0" : "application/x-amz-json-1.1";
  if (!operation.output->given) return;
  json::Writer writer(out.body);
  write_json(writer, *operation.output, response);
}

}  // namespace

void parse(const OperationInfo& operation, const WireRequest& in, void* request) {
  if (!operation.input->given) return;
  ReadContext context{.operation = operation, .room = ElementRoom(in.body.size())};
  parse_in_form(in, request, context);
  if (!context.deferred) return;
  validate(operation, request);
  throw *std::move(context.deferred);
}

void validate(const OperationInfo& operation, const void* request) {
  if (operation.protocol == Protocol::rest_xml) check_payload(operation, request);
  constexpr std::string_view kUsualError = OperationInfo().validation_error;
  const bool has_own_error = operation.validation_error != kUsualError;
  Violations violations(operation.hide_collections, has_own_error ? operation.validation_error : std::string_view());
  check_structure(*operation.input, request, nullptr, violations);
  violations.raise();
}

void serialize(const OperationInfo& operation, const void* response, WireResponse& out) {
  const Shape& shape = *operation.output;
  out.status = operation.success_status;
  if (operation.event_stream) {
    out.content_type = "application/vnd.amazon.eventstream";
    if (is_rest(operation)) write_rest_head(operation, response, out);
    out.stream = event_body(operation, *find_event_stream(shape), response, out.encoding);
    return;
  }
  if (out.encoding == Encoding::query || operation.protocol == Protocol::query) {
    return serialize_query(operation, response, out);
  }
  if (is_cbor(out.encoding)) return serialize_cbor(operation, response, out);
  if (!is_rest(operation)) return serialize_json(operation, response, out);
  if (shape.given) write_rest(operation, response, out);
}

Unmade::Unmade(const Shape& shape) : shape_(shape), memory_(base::detail::allocate_frame(shape.lifetime.size)) {}

Unmade::~Unmade() {
  if (is_made_) shape_.lifetime.destroy(memory_);
  base::detail::free_frame(memory_, shape_.lifetime.size);
}

}  // namespace tidemill::wire::shapes
