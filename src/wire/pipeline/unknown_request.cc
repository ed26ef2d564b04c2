#include "wire/pipeline/unknown_request.h"

#include "wire/pipeline/foreign_services.h"

namespace tidemill::wire {

namespace {

constexpr int kForbidden = 403;
constexpr std::string_view kCoral = "com.amazon.coral.service";  // of errors before a service sees a request

std::string_view prefix_of(std::string_view target) { return target.substr(0, target.rfind('.')); }

ErrorStyle json_style(const RequestHead& head) {
  const bool is_1_1 = head.content_type.starts_with("application/x-amz-json-1.1");
  return {ErrorForm::json, is_1_1 ? "application/x-amz-json-1.1" : "application/x-amz-json-1.0"};
}

ErrorStyle style_of_foreign(ForeignForm form, const RequestHead& head) {
  switch (form) {
    case ForeignForm::query:
    case ForeignForm::rest_xml: return {ErrorForm::query, "text/xml"};  // of the latter only S3's errors look otherwise
    case ForeignForm::ec2: return {ErrorForm::ec2, "text/xml"};
    case ForeignForm::json: return json_style(head);
    case ForeignForm::rest_json: return {ErrorForm::rest_json, "application/json"};
  }
  return {};
}

// "operation PutRecord", or the method and path where nothing better is known.
std::string describe(const RequestHead& head, const std::string& action) {
  const size_t dot = head.target.rfind('.');
  if (!head.target.empty()) return "the operation " + std::string(head.target.substr(dot + 1));
  if (!action.empty()) return "the operation " + action;
  return std::string(head.method) + " " + std::string(head.path);
}

std::string service_name(const Identity& identity) {
  if (!identity.service.empty()) return std::string(identity.service);
  if (!identity.head.target.empty()) return std::string(prefix_of(identity.head.target));
  return std::string(service_of_host(identity.head.host));
}

bool is_xml(ErrorForm form) {
  return form == ErrorForm::query || form == ErrorForm::ec2 || form == ErrorForm::rest_xml;
}

}  // namespace

std::string printable(std::string text) {
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

ErrorStyle error_style(const Routes& routes, const Identity& identity) {
  const RequestHead& head = identity.head;
  if (identity.endpoint) return error_style(identity.endpoint->operation->info, identity.encoding);
  if (const Endpoint* neighbour = routes.by_target_prefix(prefix_of(head.target))) {
    return error_style(neighbour->operation->info, Encoding::own);
  }
  if (!head.rpc_protocol.empty()) {
    return {.form = ErrorForm::cbor, .content_type = "application/cbor", .rpc = true};
  }
  if (!head.target.empty()) return json_style(head);
  const Endpoint* of_service = routes.by_service(identity.service);
  const bool is_form = identity.kind == Identity::Kind::form;
  if (!of_service) {
    const auto form = form_of_foreign_service(identity.service);
    if (form && !(is_form && *form != ForeignForm::ec2)) return style_of_foreign(*form, head);
  }
  if (is_form) return {ErrorForm::query, "text/xml", routes.query_namespace(identity.service)};
  if (of_service) return error_style(of_service->operation->info, Encoding::own);
  if (identity.service == kS3) return {ErrorForm::rest_xml, "application/xml"};
  return {ErrorForm::rest_json, "application/json"};
}

net::Response refuse_unknown(const Routes& routes, const Identity& identity, const std::string& action,
                             const std::string& request_id) {
  const std::string name = service_name(identity);
  std::string message = "Tidemill does not support " + describe(identity.head, action);
  if (!name.empty()) message += " of the service " + name;
  const ErrorStyle style = error_style(routes, identity);
  // AWS's own status for an operation that a json service does not know, or for none at all.
  const bool known_target = routes.by_target_prefix(prefix_of(identity.head.target)) != nullptr;
  const bool known_signer = style.form == ErrorForm::json && routes.by_service(identity.service) != nullptr;
  Error error("UnknownOperationException", known_target || known_signer ? 400 : 404, printable(std::move(message)));
  error.type_namespace = kCoral;
  return answer_error(style, error, request_id);
}

net::Response refuse_access(const Routes& routes, const Identity& identity, const std::string& line) {
  const std::string request_id = new_request_id(identity.is_for_bucket());
  if (identity.kind != Identity::Kind::operation && identity.kind != Identity::Kind::form) {
    net::Response response;
    response.status = kForbidden;
    response.headers.add("x-amzn-RequestId", request_id);
    response.headers.add("content-type", "text/plain");
    response.body = line + "\n";
    return response;
  }
  const ErrorStyle style = error_style(routes, identity);
  Error error(is_xml(style.form) ? "AccessDenied" : "AccessDeniedException", kForbidden, line);
  error.type_namespace = kCoral;
  return answer_error(style, error, request_id);
}

}  // namespace tidemill::wire
