#include "wire/front.h"

#include <chrono>
#include <exception>
#include <optional>

#include "base/log.h"
#include "base/survivors.h"
#include "wire/credential_scope.h"
#include "wire/query_form.h"
#include "wire/request_body.h"
#include "wire/respond.h"
#include "wire/routing.h"
#include "wire/unknown_request.h"
#include "wire/virtual_host.h"

namespace tidemill::wire {

namespace {

using std::chrono::steady_clock;

constexpr std::string_view kUnsigned = "anonymous";
constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr size_t kFormBytesMax = 16 << 20;
constexpr std::string_view kCbor = "application/x-amz-cbor-1.1";
constexpr std::string_view kRpcCbor = "rpc-v2-cbor";
constexpr std::string_view kS3 = "s3";  // the one service whose clients put a name into the host
constexpr int kContentTooLarge = 413;

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] | 0x20) : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

// What routing wants to know of a request, found in one pass over its headers.
RequestHead head_of(const net::Request& request) {
  RequestHead head;
  for (const auto& [name, value] : request.headers.entries()) {
    switch (name.size()) {
      case 4:
        if (equals_ignoring_case(name, "host")) head.host = value;
        break;
      case 12:
        if (equals_ignoring_case(name, "x-amz-target")) head.target = value;
        else if (equals_ignoring_case(name, "content-type")) head.content_type = value;
        break;
      case 13:
        if (equals_ignoring_case(name, "authorization")) head.authorization = value;
        break;
      case 15:
        if (equals_ignoring_case(name, "smithy-protocol")) head.rpc_protocol = value;
        break;
      default: break;
    }
  }
  head.method = request.method;
  const std::string_view target = request.target;
  head.path = target.substr(0, target.find('?'));
  return head;
}

void fill_rest(const net::Request& request, WireRequest& in) {
  in.query = net::parse_query(request.target);
  in.headers.reserve(request.headers.entries().size());
  for (const auto& [name, value] : request.headers.entries()) {
    std::string lower = name;
    for (char& c : lower) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    }
    in.headers.emplace_back(std::move(lower), value);
  }
}

// "203.0.113.7" of "203.0.113.7:50312", "::1" of "[::1]:50312".
std::string host_of_peer(std::string_view peer) {
  peer = peer.substr(0, peer.rfind(':'));
  if (peer.starts_with('[') && peer.ends_with(']')) peer = peer.substr(1, peer.size() - 2);
  return std::string(peer);
}

bool is_rest(const OperationInfo& info) {
  return info.protocol == Protocol::rest_json || info.protocol == Protocol::rest_xml;
}

bool is_rest_xml(const OperationInfo& info) { return info.protocol == Protocol::rest_xml; }

Error throttling_error(const OperationInfo& info) {
  constexpr int kTooManyRequests = 429;
  constexpr int kSlowDown = 503;
  const bool rest = info.protocol == Protocol::rest_json;
  Error error(std::string(info.throttling_error), rest ? kTooManyRequests : is_rest_xml(info) ? kSlowDown : 400,
              "The server has more to do than it can take; slow down and try again");
  if (rest) error.more_members = "\"Type\":\"User\"";
  return error;
}

Error internal_error(const OperationInfo& info) {
  Error error(std::string(info.internal_error), 500, "Internal server error");
  if (info.protocol == Protocol::rest_json) {
    error.message_member = "Message";
    error.more_members = "\"Type\":\"Service\"";
  }
  return error;
}

Error too_large_error(const OperationInfo& info) {
  if (is_rest_xml(info)) return {"MaxMessageLengthExceeded", 400, "Your request was too large."};
  Error error("RequestEntityTooLargeException", kContentTooLarge,
              "Request must be smaller than " + std::to_string(info.request_bytes_max) + " bytes for the " +
                  std::string(info.name) + " operation");
  error.type_namespace = "com.amazon.coral.service";
  return error;
}

// The body ended before its end; most often there is nobody any more to read this.
Error incomplete_error() { return {"IncompleteBody", 400, "The request body terminated unexpectedly"}; }

// S3 knows no errors of types and constraints beyond those of its XML.
void translate(const OperationInfo& info, Error& error) {
  if (!is_rest_xml(info)) return;
  if (error.code == "SerializationException" || error.code == "ValidationException") error.code = info.validation_error;
}

// The defect that is being handled, for the log.
std::string describe_current_exception() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

Encoding encoding_of(const RequestHead& head, const OperationInfo& info) {
  if (head.rpc_protocol == kRpcCbor && head.target.empty()) return Encoding::rpc_cbor;
  return info.cbor && head.content_type.starts_with(kCbor) ? Encoding::cbor : Encoding::own;
}

// A form in the body, or in the query string of a request without a body.
bool is_query(const net::Request& request, const RequestHead& head) {
  if (!head.target.empty() || !head.rpc_protocol.empty()) return false;
  if (head.content_type.starts_with(kForm)) return head.method == "POST";
  return head.method == "GET" && request.target.find("Action=") != std::string::npos;
}

shapes::QueryNode tree_of(const net::Request& request, const RequestHead& head, const std::string& body) {
  auto pairs = net::parse_query(request.target);
  if (head.method == "POST") {
    for (auto& pair : net::parse_query("?" + body)) pairs.push_back(std::move(pair));
  }
  return shapes::make_query_tree(pairs);
}

std::string text_at(const shapes::QueryNode& form, std::string_view name) {
  const shapes::QueryNode* node = form.find(name);
  return node && node->value ? *node->value : "";
}

// SQS's clients used to name the queue by the request's path alone.
void fill_in_path(const OperationInfo& info, std::string_view path, shapes::QueryNode& form) {
  if (info.query_path_member.empty() || path.size() < 2 || form.find(info.query_path_member)) return;
  form.children[std::string(info.query_path_member)].value = net::percent_decode(path).value_or(std::string(path));
}

void log_request(const OperationInfo& info, int status, const std::string& request_id) {
  base::log_debug("request", {{"operation", std::string(info.service) + "." + std::string(info.name)},
                              {"status", std::to_string(status)},
                              {"request_id", request_id}});
}

}  // namespace

struct Front::Impl {
  Platform& platform;
  FrontOptions options;
  Routes routes;
  const bool has_s3;
  base::Counter& unknown;
  base::Survivors survivors;

  Impl(Platform& p, FrontOptions o)
      : platform(p),
        options(std::move(o)),
        routes(p.registry, p.metrics),
        has_s3(routes.has_service(kS3)),
        unknown(p.metrics.counter("tidemill_unknown_requests_total", "Requests for operations that Tidemill lacks.")),
        survivors(p.clock.activity()) {}

  [[nodiscard]] const Endpoint* find(const net::Request& request, const RequestHead& head, std::string_view service,
                                     Labels& labels) const {
    if (!head.target.empty()) return routes.by_target(head.target);
    if (!head.rpc_protocol.empty()) return head.rpc_protocol == kRpcCbor ? routes.by_rpc(head.path) : nullptr;
    const std::string_view host_service = service_of_host(head.host);
    // Nearly every path could mean an object: only of those whom nothing else tells.
    const bool any_xml = !is_known(service) && !is_known(host_service) && !is_query(request, head);
    return routes.by_path(request, head.path, {service, host_service}, any_xml, labels);
  }
  [[nodiscard]] bool is_known(std::string_view service) const {
    return !service.empty() && routes.has_service(service);
  }

  // The bucket that the host names, put before the path as clients of path style do. Nothing for those.
  [[nodiscard]] std::optional<std::string> path_with_bucket(const RequestHead& head, std::string_view service) const {
    if (!head.target.empty() || !head.rpc_protocol.empty() || !has_s3) return std::nullopt;
    const auto may_be_bucket = [&](std::string_view name) {
      if (!service.empty()) return service == kS3;
      return name.find('.') == std::string_view::npos && !routes.has_service(name);
    };
    auto bucket = bucket_of_host(head.host, host_of_endpoint(options.endpoint), may_be_bucket);
    if (!bucket) return std::nullopt;
    return "/" + *bucket + std::string(head.path);
  }

  [[nodiscard]] Context context_of(const net::Request& request, const std::optional<CredentialScope>& scope,
                                   std::string request_id) const {
    const bool has_account = scope && is_account(scope->access_key_id);
    Context context(platform, has_account ? scope->access_key_id : options.account,
                    scope && !scope->region.empty() ? scope->region : options.region, std::move(request_id),
                    scope ? scope->access_key_id : std::string(kUnsigned));
    context.endpoint = options.endpoint;
    context.source_ip = host_of_peer(request.peer);
    return context;
  }

  // Runs the operation; all that goes wrong in it becomes an answer. Owns what the operation uses, so that it goes on
  // to its end if the client leaves.
  static Task<net::Response> run(const Endpoint& endpoint, Context context, WireRequest in, std::string body,
                                 std::unique_ptr<shapes::QueryNode> form) {
    const OperationInfo& info = endpoint.operation->info;
    const auto begin = steady_clock::now();
    std::optional<Error> error;
    net::Response response;
    in.body = body;
    in.form = form.get();
    if (form) in.encoding = Encoding::query;
    try {
      WireResponse out{.encoding = in.encoding};
      co_await endpoint.operation->on_wire(context, in, out);
      endpoint.succeeded->add();
      response = answer(info, std::move(out), context.request_id);
    } catch (const Error& refused) {
      (refused.http_status >= 500 ? endpoint.failed : endpoint.refused)->add();
      error = refused;
      translate(info, *error);
    } catch (const store::Overloaded&) {
      endpoint.throttled->add();
      error = throttling_error(info);
    } catch (const net::ConnectionLost&) {
      endpoint.refused->add();
      error = incomplete_error();
    } catch (const net::BodyTooLarge&) {
      endpoint.refused->add();
      error = too_large_error(info);
    } catch (...) {
      // A store that cannot write and a defect look the same from outside.
      endpoint.failed->add();
      base::log_error("operation failed", {{"operation", std::string(info.service) + "." + std::string(info.name)},
                                           {"request_id", context.request_id},
                                           {"error", describe_current_exception()}});
      error = internal_error(info);
    }
    if (error) {
      context.registry().tell_failure(context, info, *error);
      response = answer_error(error_style(info, in.encoding), *error, context.request_id);
    }
    endpoint.seconds->observe(steady_clock::now() - begin);
    if (base::log_enabled(base::Level::debug)) log_request(info, response.status, context.request_id);
    co_return response;
  }

  // A Query request: only its form tells which operation it means.
  Task<net::Response> handle_query(net::Request& request, const RequestHead& head,
                                   std::optional<CredentialScope> scope) {
    std::string request_id = new_request_id(false);
    const std::string_view service = scope ? std::string_view(scope->service) : service_of_host(head.host);
    const Endpoint* endpoint = nullptr;
    std::optional<Error> refused;
    auto form = std::make_unique<shapes::QueryNode>();
    try {
      const auto body = co_await read_form(request, kFormBytesMax);
      if (body) *form = tree_of(request, head, *body);
      else refused = Error("RequestEntityTooLarge", kContentTooLarge, "The request is too large");
    } catch (const Error& error) {
      refused = error;
    }
    const std::string action = text_at(*form, "Action");
    if (!refused) {
      endpoint = routes.by_action(action, service, text_at(*form, "Version"));
      refused = malformed_signature(head, scope);
    }
    if (refused) {
      const std::string_view xml_namespace = routes.query_namespace(service);
      co_return answer_error({ErrorForm::query, "text/xml", xml_namespace}, *refused, request_id);
    }
    if (!endpoint) {
      unknown.add();
      co_return refuse_unknown(routes, head, service, action.empty() ? "(none)" : action, request_id);
    }
    fill_in_path(endpoint->operation->info, head.path, *form);
    co_return co_await see_through(request, endpoint->operation->info,
                                   run(*endpoint, context_of(request, scope, std::move(request_id)), {}, {}, std::move(form)));
  }

  // Goes on to the end if the client leaves, unless the operation waits for the client's sake: it would take what
  // nobody gets.
  Task<net::Response> see_through(net::Request& request, const OperationInfo& info, Task<net::Response> work) {
    if (info.ends_with_client) {
      request.activity = {};  // it may wait for time to pass, and time passes only when all is quiet
      co_return co_await std::move(work);
    }
    net::Response response = co_await survivors.outlive(std::move(work));
    if (info.event_stream) request.activity = {};  // what it waits for from here on is for its client's sake
    co_return response;
  }
};

Front::Front(Platform& platform, FrontOptions options) : impl_(std::make_unique<Impl>(platform, std::move(options))) {}
Front::~Front() = default;

Task<net::Response> Front::handle(net::Request& request) {
  RequestHead head = head_of(request);
  std::optional<CredentialScope> scope =
      head.authorization.empty() ? parse_presigned(request.target) : parse_authorization(head.authorization);
  WireRequest in;
  std::string_view service = scope ? std::string_view(scope->service) : std::string_view();
  const auto path_with_bucket = impl_->path_with_bucket(head, service);
  if (path_with_bucket) {
    head.path = *path_with_bucket;
    service = kS3;
  }
  const Endpoint* endpoint = impl_->find(request, head, service, in.labels);
  // Some clients call every body a form that they know nothing better of; a path that means an operation does.
  if (!endpoint && is_query(request, head)) co_return co_await impl_->handle_query(request, head, std::move(scope));
  if (!endpoint) {
    impl_->unknown.add();
    co_return refuse_unknown(impl_->routes, head, service, "", new_request_id(service == kS3));
  }
  const OperationInfo& info = endpoint->operation->info;
  std::string request_id = new_request_id(is_rest_xml(info));
  in.encoding = encoding_of(head, info);
  std::optional<Error> error = malformed_signature(head, scope);
  if (is_rest(info)) fill_rest(request, in);
  std::optional<std::string> body;
  if (!error) {
    try {
      if (info.streaming_input) in.stream = stream_body(request, info, in);
      body = info.streaming_input ? std::string() : co_await read_body(request, info, in);
      if (!body) error = too_large_error(info);
    } catch (const Error& refused) {
      error = refused;
    }
  }
  if (error) {
    endpoint->refused->add();
    translate(info, *error);
    co_return answer_error(error_style(info, in.encoding), *error, request_id);
  }
  Context context = impl_->context_of(request, scope, std::move(request_id));
  co_return co_await impl_->see_through(
      request, info, Impl::run(*endpoint, std::move(context), std::move(in), *std::move(body), nullptr));
}

}  // namespace tidemill::wire
