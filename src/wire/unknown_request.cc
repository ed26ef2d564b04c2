#include "wire/unknown_request.h"

#include "wire/respond.h"

namespace tidemill::wire {

namespace {

ErrorStyle style_of(const Routes& routes, const RequestHead& head, std::string_view service, bool is_query) {
  if (const Endpoint* neighbour = routes.by_target_prefix(head.target.substr(0, head.target.rfind('.')))) {
    return error_style(neighbour->operation->info, Encoding::own);
  }
  if (!head.rpc_protocol.empty()) {
    return {.form = ErrorForm::cbor, .content_type = "application/cbor", .rpc = true};
  }
  if (!head.target.empty()) {
    const bool is_1_1 = head.content_type.starts_with("application/x-amz-json-1.1");
    return {ErrorForm::json, is_1_1 ? "application/x-amz-json-1.1" : "application/x-amz-json-1.0"};
  }
  if (is_query) return {ErrorForm::query, "text/xml", routes.query_namespace(service)};
  if (service == "s3") return {ErrorForm::rest_xml, "application/xml"};
  return {ErrorForm::rest_json, "application/json"};
}

// "operation PutRecord", or the method and path where nothing better is known.
std::string describe(const RequestHead& head, const std::string& action) {
  const size_t dot = head.target.rfind('.');
  if (!head.target.empty()) return "the operation " + std::string(head.target.substr(dot + 1));
  if (!action.empty()) return "the operation " + action;
  return std::string(head.method) + " " + std::string(head.path);
}

// What a message repeats of a request may be any bytes; an answer is text.
std::string printable(std::string text) {
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

std::string service_name(const RequestHead& head, std::string_view service) {
  if (!service.empty()) return std::string(service);
  if (!head.target.empty()) return std::string(head.target.substr(0, head.target.rfind('.')));
  return std::string(service_of_host(head.host));
}

}  // namespace

std::string_view service_of_host(std::string_view host) {
  const size_t dot = host.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view first = host.substr(0, dot);
  // An address has no service.
  return first.find_first_not_of("0123456789") == std::string_view::npos ? std::string_view() : first;
}

std::optional<Error> malformed_signature(const RequestHead& head, const std::optional<CredentialScope>& scope) {
  const bool unreadable = !scope && head.authorization.starts_with("AWS4-");
  const bool no_region = scope && !scope->region.empty() && !is_region(scope->region);
  if (!unreadable && !no_region) return {};
  Error error("IncompleteSignatureException", 400,
              unreadable ? "Authorization header requires a Credential of the form "
                           "<key id>/<date>/<region>/<service>/aws4_request"
                         : "Credential has no valid region");
  error.type_namespace = "com.amazon.coral.service";
  return error;
}

net::Response refuse_unknown(const Routes& routes, const RequestHead& head, std::string_view service,
                             const std::string& action, const std::string& request_id) {
  const ErrorStyle style = style_of(routes, head, service, !action.empty());
  const std::string name = service_name(head, service);
  std::string message = "Tidemill does not support " + describe(head, action);
  if (!name.empty()) message += " of the service " + name;
  // AWS's own status for an operation that a json service does not know.
  const bool known_service = routes.by_target_prefix(head.target.substr(0, head.target.rfind('.'))) != nullptr;
  Error error("UnknownOperationException", known_service ? 400 : 404, printable(std::move(message)));
  error.type_namespace = "com.amazon.coral.service";
  return answer_error(style, error, request_id);
}

}  // namespace tidemill::wire
