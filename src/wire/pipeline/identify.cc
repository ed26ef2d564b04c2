#include "wire/pipeline/identify.h"

#include "wire/pipeline/foreign_services.h"
#include "wire/virtual_host.h"

namespace tidemill::wire {

namespace {

constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr std::string_view kCbor = "application/x-amz-cbor-1.1";
constexpr std::string_view kRpcCbor = "rpc-v2-cbor";

bool has_parameter(std::string_view target, std::string_view name_and_equals) {
  for (size_t at = target.find('?'); at != std::string_view::npos; at = target.find('&', at + 1)) {
    if (target.substr(at + 1).starts_with(name_and_equals)) return true;
  }
  return false;
}

// A form in the body, or in the query string of a request without a body.
bool is_query(const net::Request& request, const RequestHead& head) {
  if (head.content_type.starts_with(kForm)) return head.method == "POST";
  return head.method == "GET" && has_parameter(request.target, "Action=");
}

Encoding encoding_of(const RequestHead& head, const OperationInfo& info) {
  if (head.rpc_protocol == kRpcCbor && head.target.empty()) return Encoding::rpc_cbor;
  return info.cbor && head.content_type.starts_with(kCbor) ? Encoding::cbor : Encoding::own;
}

}  // namespace

bool Identity::is_for_bucket() const {
  return endpoint && !labels.empty() && endpoint->operation->info.signing_name == kS3 &&
         endpoint->operation->info.protocol == Protocol::rest_xml;
}

std::string_view service_of_host(std::string_view host) {
  const size_t dot = host.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view first = host.substr(0, dot);
  // An address has no service.
  return first.find_first_not_of("0123456789") == std::string_view::npos ? std::string_view() : first;
}

std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    std::string_view word = list.substr(0, comma);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (!word.empty()) words.emplace_back(word);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return words;
}

void Identifier::identify(const net::Request& request, Identity& found) const {
  found.head = head_of(request);
  const RequestHead& head = found.head;
  if (head.path.size() > 1 && (found.own = find_own(head.path))) {
    found.kind = head.method == "OPTIONS" ? Identity::Kind::preflight : Identity::Kind::own;
    return;
  }
  found.scope = head.authorization.empty() ? parse_presigned(request.target) : parse_authorization(head.authorization);
  if (head.method == "OPTIONS") return identify_preflight(request, found);
  if (!head.target.empty()) {
    found.endpoint = routes_.by_target(head.target);
    if (found.scope) found.service = found.scope->service;
  } else if (!head.rpc_protocol.empty()) {
    found.endpoint = head.rpc_protocol == kRpcCbor ? routes_.by_rpc(head.path) : nullptr;
    if (found.scope) found.service = found.scope->service;
  } else {
    choose_service(found);
    const bool is_form = is_query(request, head);
    find_by_path(request, request.headers, is_form, found);
    // Some clients call every body a form that they know nothing better of; a path that means an operation does.
    if (is_form && !found.endpoint) found.kind = Identity::Kind::form;
  }
  if (!found.endpoint) return;
  found.kind = Identity::Kind::operation;
  found.encoding = encoding_of(head, found.endpoint->operation->info);
}

const OwnPath* Identifier::find_own(std::string_view path) const {
  for (const OwnPath& own : own_paths_) {
    if (own.is_prefix ? path.starts_with(own.path) : path == own.path) return &own;
  }
  return nullptr;
}

void Identifier::choose_service(Identity& found) const {
  if (found.scope) found.service = found.scope->service;
  if (!found.service.empty() && found.service != kS3) return;
  if (has_s3_) {
    const auto may_be_bucket = [&](std::string_view name) {
      if (found.service == kS3) return true;
      return name.find('.') == std::string_view::npos && !routes_.has_service(name);
    };
    if (const auto bucket = bucket_of_host(found.head.host, hosts_.added(), may_be_bucket)) {
      found.path_with_bucket_ = "/" + *bucket + std::string(found.head.path);
      found.head.path = found.path_with_bucket_;
      found.service = kS3;
    }
  }
  if (!found.service.empty()) return;
  const std::string_view named = service_of_host(found.head.host);
  if (routes_.has_service(named) || form_of_foreign_service(named)) found.service = named;
}

void Identifier::find_by_path(const net::Request& request, const net::Headers& headers, bool is_form,
                              Identity& found) const {
  // Nearly every path could mean an object: only of requests that nothing else tells the service of.
  const bool any_xml = !is_form;
  found.endpoint = routes_.by_path({found.head.method, found.head.path, request.target, headers}, found.service, any_xml,
                                   found.labels);
}

// A browser asks beforehand what the request may be that it is about to make. That will be judged again when it comes;
// here it is found out whether it could be for a bucket.
void Identifier::identify_preflight(const net::Request& request, Identity& found) const {
  found.kind = Identity::Kind::preflight;
  found.head.method = request.headers.get("access-control-request-method");
  if (found.head.method.empty()) found.head.method = "GET";  // it says nothing, but to whom
  net::Headers headers;
  for (std::string& name : split_list(request.headers.get("access-control-request-headers"))) {
    headers.add(std::move(name), "");
  }
  if (headers.find("x-amz-target") || headers.find("smithy-protocol")) return;
  choose_service(found);
  find_by_path(request, headers, is_query(request, found.head), found);
}

}  // namespace tidemill::wire
