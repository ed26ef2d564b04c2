#include "wire/front.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "base/survivors.h"
#include "base/text.h"
#include "wire/pipeline/admit.h"
#include "wire/pipeline/answer_sizes.h"
#include "wire/pipeline/call.h"
#include "wire/pipeline/encode.h"
#include "wire/pipeline/form.h"
#include "wire/pipeline/hashed_body.h"
#include "wire/pipeline/large_calls.h"
#include "wire/pipeline/post_form.h"
#include "wire/pipeline/presigned.h"
#include "wire/pipeline/read_body.h"
#include "wire/pipeline/unknown_request.h"
#include "wire/shape_bindings.h"
#include "wire/timestamp.h"
#include "wire/trace_header.h"

namespace tidemill::wire {

namespace {

// Parameters of a presigned address that stand for headers, as SDKs put them there. Of the others that begin with
// "x-amz-" AWS takes none (recorded: a checksum, a copy's source).
bool stands_for_header(std::string_view name) {
  constexpr std::string_view kHeaders[] = {"if-match", "if-none-match", "x-amz-tagging", "x-amz-storage-class", "x-amz-acl"};
  return name.starts_with("x-amz-meta-") || std::ranges::find(kHeaders, name) != std::end(kHeaders);
}

void take_headers_of_address(WireRequest& in) {
  for (const auto& [name, value] : in.query) {
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c | 0x20) : c; });
    if (stands_for_header(lower) && !shapes::find(in.headers, lower)) in.headers.emplace_back(std::move(lower), value);
  }
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
  if (is_presigned(request.target)) take_headers_of_address(in);
}

// "203.0.113.7" of "203.0.113.7:50312", "::1" of "[::1]:50312".
std::string host_of_peer(std::string_view peer) {
  peer = peer.substr(0, peer.rfind(':'));
  if (peer.starts_with('[') && peer.ends_with(']')) peer = peer.substr(1, peer.size() - 2);
  return std::string(peer);
}

constexpr std::string_view kForwardedProtocol = "x-forwarded-proto";

// Anybody may say so: it closes what is for this machine alone, and opens nothing.
bool is_forwarded(const net::Request& request) {
  constexpr std::string_view kSayIt[] = {"x-forwarded-for", kForwardedProtocol, "forwarded", "via"};
  return std::ranges::any_of(kSayIt, [&](std::string_view name) { return request.headers.find(name).has_value(); });
}

// As the proxy says; where a client has said so, too, both must.
bool is_forwarded_from_tls(const net::Request& request) {
  const auto says_protocol = [](const auto& header) { return equals_ignoring_case(header.first, kForwardedProtocol); };
  return request.headers.find(kForwardedProtocol) &&
         std::ranges::none_of(request.headers.entries(), [&](const auto& header) {
           return says_protocol(header) && header.second != "https";
         });
}

bool is_of_this_machine(const net::Request& request) {
  const std::string host = host_of_peer(request.peer);
  if (!host.starts_with("127.") && host != "::1") return false;
  return !is_forwarded(request);
}

// Whether its body may take more memory than a connection's buffers do.
bool may_be_large(const net::Request& request) {
  constexpr uint64_t kSmallBytesMax = 16 << 10;
  if (request.headers.find("content-encoding")) return true;
  const auto length = request.headers.find("content-length");
  if (!length) return request.version_major == 2 || request.headers.find("transfer-encoding");
  uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(length->data(), length->data() + length->size(), bytes);
  return error != std::errc() || bytes > kSmallBytesMax;
}

bool is_rest(const OperationInfo& info) {
  return info.protocol == Protocol::rest_json || info.protocol == Protocol::rest_xml;
}

base::Counter& foreign_counter(base::Metrics& metrics, std::string_view reason) {
  return metrics.counter("tidemill_foreign_requests_total",
                         "Requests refused for the name they call the server by, or the page that sent them.",
                         "reason=\"" + std::string(reason) + "\"");
}

constexpr std::string_view kClockPath = "/_tidemill/clock";

// For the form of its signatures and refusals; nothing routes to it.
const Endpoint& administration() {
  static const Registry::Operation kOperation{.info = {.service = kAdministration,
                                                       .signing_name = kAdministration,
                                                       .name = "Administer",
                                                       .protocol = Protocol::rest_json},
                                              .on_wire = {},
                                              .on_document = {}};
  static const Endpoint kEndpoint{&kOperation};
  return kEndpoint;
}

// The operations have their metrics before their routes are made.
const Registry& measured(Platform& platform) {
  platform.registry.measure_with(platform.metrics);
  return platform.registry;
}

}  // namespace

struct Front::Impl {
  Platform& platform;
  FrontOptions options;
  Routes routes;
  AnswerSizes answer_sizes;
  HostNames hosts;
  Identifier identifier;
  Origins origins;
  CrossOrigin cross_origin;
  base::Counter& unknown;
  base::Counter& foreign_hosts;
  base::Counter& foreign_pages;
  base::BlockingWork large_forms{1};  // before what may go on with one
  base::Survivors survivors;
  LargeCalls large_calls;

  Impl(Platform& p, FrontOptions o)
      : platform(p),
        options(std::move(o)),
        routes(measured(p)),
        answer_sizes(p.registry),
        hosts(options.hosts),
        identifier(routes, hosts, options.own_paths),
        origins(hosts, options.allowed_origins),
        cross_origin(routes, options.buckets),
        unknown(p.metrics.counter("tidemill_unknown_requests_total", "Requests for operations that Tidemill lacks.")),
        foreign_hosts(foreign_counter(p.metrics, "host")),
        foreign_pages(foreign_counter(p.metrics, "page")),
        survivors(p.clock.activity()),
        large_calls(options.large_calls, p.clock.activity(), p.registry) {}

  [[nodiscard]] Context context_of(const net::Request& request, Caller&& caller, std::string request_id,
                                   std::shared_ptr<ChunkSignatures>& chunks) const {
    chunks = std::move(caller.chunks);
    Context context(platform, caller.account.empty() ? options.account : std::move(caller.account),
                    caller.region.empty() ? options.region : std::move(caller.region), std::move(request_id),
                    std::move(caller.principal));
    context.endpoint = endpoint_for(request);
    context.source_ip = host_of_peer(request.peer);
    context.trace_header = trace_to_hand_on(request.headers.get(kTraceHeader));
    if (options.authenticator->checks_signatures()) context.user_agent = request.headers.get("user-agent");
    return context;
  }

  // Whether the client speaks TLS: with us, or with the proxy that brings the request.
  [[nodiscard]] bool is_protected_for_client(const net::Request& request) const {
    return request.is_protected || (options.is_behind_proxy && is_forwarded_from_tls(request));
  }

  // Addresses in answers lead back the way that the request came: by the name it called over TLS, ours or a proxy's, or
  // by way of a proxy that takes plain HTTP. Policies take those of https for requests over TLS (aws:SecureTransport).
  [[nodiscard]] std::string endpoint_for(const net::Request& request) const {
    const auto host = request.headers.find("host");
    if (!host || host->empty()) return options.endpoint;
    if (is_protected_for_client(request)) return base::cat("https://", *host);
    if (options.is_behind_proxy && is_forwarded(request)) return base::cat("http://", *host);
    return options.endpoint;
  }

  Task<net::Response> answer_page(net::Request& request, Identity& identity, Page page) {
    Passage passage = co_await cross_origin.pass(request, identity, page);
    if (passage.answer) {
      if (passage.answer->status >= 400) foreign_pages.add();
      co_return *std::move(passage.answer);
    }
    net::Response response = co_await answer_identified(request, identity);
    for (const auto& [name, value] : passage.headers) response.headers.set(name, value);
    co_return response;
  }

  Task<net::Response> answer_identified(net::Request& request, Identity& identity) {
    switch (identity.kind) {
      case Identity::Kind::own: return answer_own(request, identity);
      case Identity::Kind::form: return answer_form(request, identity);
      case Identity::Kind::operation:
        if (is_post_form(identity)) return answer_post(request, identity);
        return enter(request, identity, *identity.endpoint, nullptr);
      case Identity::Kind::preflight:
      case Identity::Kind::unknown: break;
    }
    return Task<net::Response>::ready(refuse_as_unknown(identity, ""));
  }

  // Where who asks must sign, the server's own paths are for this machine, and not for those whom a proxy on it brings;
  // what drives the server or tells of it must be signed for, too.
  Task<net::Response> answer_own(net::Request& request, Identity& identity) {
    const bool is_guarded = options.authenticator->checks_signatures() && !identity.own->is_for_all;
    if (is_guarded && !is_of_this_machine(request)) {
      return Task<net::Response>::ready(
          refuse_access(routes, identity, "this path answers requests of the server's own machine only\n"));
    }
    const bool only_tells_the_time = request.method == "GET" && identity.head.path == kClockPath;
    if (is_guarded && identity.own->needs_rights && !only_tells_the_time) {
      return answer_administrator(request, identity);
    }
    return identity.own->handler(request);
  }

  // Functions run on this machine as well: what drives the server is not theirs.
  Task<net::Response> answer_administrator(net::Request& request, Identity& identity) {
    identity.endpoint = &administration();
    identity.scope = parse_authorization(identity.head.authorization);
    std::optional<Error> refused;
    try {
      std::shared_ptr<ChunkSignatures> chunks;
      std::string body = co_await read_signed(request, identity, identity.endpoint->operation->info);
      request.body = std::make_shared<ReadBody>(std::move(body));
      Caller caller = co_await authenticate(*options.authenticator, request, identity, platform.clock);
      const Context context = context_of(request, std::move(caller), new_request_id(false), chunks);
      co_await authorize_deed(context, {std::string(kAdminister), "*"});
    } catch (const Error& error) {
      refused = error;
    }
    if (refused) co_return answer_error(error_style(routes, identity), *refused, new_request_id(false));
    co_return co_await identity.own->handler(request);
  }

  net::Response refuse_as_unknown(const Identity& identity, const std::string& action) {
    unknown.add();
    return refuse_unknown(routes, identity, action, new_request_id(identity.service == kS3));
  }

  // Of a function, which sees it whole; which pages may ask says its own configuration.
  Task<net::Response> answer_url(net::Request& request, const UrlAddress& address) {
    Identity identity;
    identity.head = head_of(request);
    identity.scope = identity.head.authorization.empty() ? parse_presigned(request.target)
                                                         : parse_authorization(identity.head.authorization);
    UrlCall call{.address = address,
                 .request_id = new_request_id(false),
                 .scope = identity.scope,
                 .authenticate = [&] { return authenticate_url(request, identity); },
                 .endpoint = endpoint_for(request),
                 .source_ip = host_of_peer(request.peer),
                 .is_protected = is_protected_for_client(request)};
    co_return co_await options.function_urls->answer(request, std::move(call));
  }

  // A page of a bucket's website, for anybody.
  Task<net::Response> answer_website(net::Request& request, const Identity& identity, std::string bucket) {
    WebsiteCall call{
        .bucket = std::move(bucket),
        .path = request.target.substr(0, request.target.find('?')),
        .origin = base::cat(endpoint_for(request).starts_with("https:") ? "https://" : "http://", identity.head.host),
        .request_id = new_request_id(true),
        .source_ip = host_of_peer(request.peer),
        .may_read = !options.authenticator->checks_signatures() || options.enforces_rights};
    co_return co_await options.websites->answer(request, std::move(call));
  }

  // Addresses of functions are signed as Lambda's operations are.
  Task<Caller> authenticate_url(net::Request& request, Identity& identity) {
    identity.endpoint = routes.by_service("lambda");
    if (options.authenticator->checks_signatures()) {
      const auto hashed = co_await begin_to_read(request, identity);
      std::string body = co_await hashed->read_all(kUrlBodyBytesMax);  // the function sees it as it was sent
      identity.payload_hash = hashed->hash();
      request.body = std::make_shared<ReadBody>(std::move(body));
    }
    co_return co_await authenticate(*options.authenticator, request, identity, platform.clock);
  }

  // Only its form tells which operation it means.
  Task<net::Response> answer_form(net::Request& request, Identity& identity) {
    std::optional<Form> form;
    std::optional<Error> refused;
    std::shared_ptr<HashedBody> hashed;
    try {
      if (options.authenticator->checks_signatures()) hashed = co_await begin_to_read(request, identity);
      form = co_await read_form(request, identity, routes, large_forms);
      if (hashed) identity.payload_hash = hashed->hash();
    } catch (const Error& error) {
      refused = error;
    }
    if (refused) co_return answer_error(error_style(routes, identity), *refused, new_request_id(false));
    if (!form->endpoint) co_return refuse_as_unknown(identity, form->action.empty() ? "(none)" : form->action);
    identity.endpoint = form->endpoint;
    co_return co_await enter(request, identity, *form->endpoint, std::move(form->tree));
  }

  // A browser's form to a bucket, whose fields say what others say in headers.
  Task<net::Response> answer_post(net::Request& request, Identity& identity) {
    std::optional<PostForm> form;
    std::optional<Error> refused;
    try {
      form = co_await read_post_form(request, identity);
    } catch (const Error& error) {
      refused = error;
    }
    const OperationInfo& info = identity.endpoint->operation->info;
    if (refused) {
      co_return said_by_s3(info, answer_error(error_style(routes, identity), *refused, new_request_id(true)));
    }
    identity.post = &*form;
    co_return co_await enter(request, identity, *identity.endpoint, nullptr, &*form);
  }

  // Of a body that is part of what is signed: who cannot be right, whatever it is, does not get to send it. A small one
  // is not worth a second look at the signature.
  Task<std::shared_ptr<HashedBody>> begin_to_read(net::Request& request, const Identity& identity) {
    if (may_be_large(request)) co_await options.authenticator->examine(request, identity);
    auto hashed = std::make_shared<HashedBody>(request.body);
    request.body = hashed;
    co_return hashed;
  }

  // The whole body, where it is part of what is signed.
  Task<std::string> read_signed(net::Request& request, Identity& identity, const OperationInfo& info) {
    const auto hashed = co_await begin_to_read(request, identity);
    std::string body = co_await admit_form(request, info.request_bytes_max);
    identity.payload_hash = hashed->hash();
    co_return body;
  }

  // From authentication on. `form` of a Query request, whose body has been read; `post` of one of a browser to a
  // bucket.
  Task<net::Response> enter(net::Request& request, Identity& identity, const Endpoint& endpoint, shapes::QueryForm form,
                            PostForm* post = nullptr) {
    if (options.access_log && identity.is_for_bucket() && options.access_log->is_wanted()) {
      return enter_logged(request, identity, endpoint, post);
    }
    return pass(request, identity, endpoint, std::move(form), post, nullptr);
  }

  // To a bucket, of whose requests there may be a log.
  Task<net::Response> enter_logged(net::Request& request, Identity& identity, const Endpoint& endpoint, PostForm* post) {
    LoggedRequest seen = describe_request(request, identity, endpoint);
    net::Response response = co_await pass(request, identity, endpoint, nullptr, post, &seen);
    describe_answer(response, seen);
    seen.duration = platform.clock.now() - seen.begun;
    options.access_log->note(std::move(seen));
    co_return response;
  }

  [[nodiscard]] LoggedRequest describe_request(const net::Request& request, const Identity& identity,
                                               const Endpoint& endpoint) const {
    const auto& headers = request.headers;
    LoggedRequest seen{.operation = &endpoint.operation->info,
                       .bucket = std::string(identity.bucket()),
                       .key = identity.labels.size() > 1 ? identity.labels[1].second : std::string(),
                       .source_ip = host_of_peer(request.peer),
                       .method = request.method,
                       .target = request.target,
                       .host = std::string(headers.get("host")),
                       .referer = std::string(headers.get("referer")),
                       .user_agent = std::string(headers.get("user-agent")),
                       .version_major = request.version_major,
                       .is_protected = is_protected_for_client(request),
                       .is_signed = identity.scope.has_value(),
                       .is_presigned = identity.head.authorization.empty(),
                       .begun = platform.clock.now()};
    std::string_view length = headers.get("x-amz-decoded-content-length");
    if (length.empty()) length = headers.get("content-length");
    uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
    if (!length.empty() && error == std::errc()) seen.bytes_received = bytes;
    return seen;
  }

  // `seen`, if there is one, learns who asks.
  Task<net::Response> pass(net::Request& request, Identity& identity, const Endpoint& endpoint, shapes::QueryForm form,
                           PostForm* post, LoggedRequest* seen) {
    const OperationInfo& info = endpoint.operation->info;
    std::string request_id = new_request_id(info.protocol == Protocol::rest_xml);
    WireRequest in{.encoding = form ? Encoding::query : identity.encoding, .labels = std::move(identity.labels)};
    std::optional<Task<net::Response>> work;
    std::shared_ptr<ChunkSignatures> chunks;
    const bool reads_first =
        !form && info.protocol != Protocol::rest_xml && options.authenticator->checks_signatures();
    try {
      std::string body;
      if (reads_first) body = co_await read_signed(request, identity, info);
      // One expression, so that less is kept in this frame: those beyond a kilobyte come from the heap.
      Context context = context_of(request, co_await authenticate(*options.authenticator, request, identity, platform.clock),
                                   request_id, chunks);
      if (seen) describe_caller(context, *seen);
      if (post) check_post_policy(*post, in.labels.front().second, platform.clock.now());
      co_await authorize({context, info});
      co_await admit_answer(request, answer_sizes.of(info));
      if (post)
        fill_from_form(*post, in);
      else if (is_rest(info))
        fill_rest(request, in);
      if (!post && !form && info.streaming_input)
        in.stream = admit_stream(request, info, in, std::move(chunks));
      else if (!post && !form && !reads_first)
        body = co_await admit_body(request, info, in, std::move(chunks));
      work = begin({*endpoint.operation, std::move(context), std::move(in), std::move(body), std::move(form)});
    } catch (const net::ConnectionLost&) {
      throw;
    } catch (...) {
      const std::exception_ptr thrown = std::current_exception();
      endpoint.metrics().count(call_outcome(thrown));
      co_return said_by_s3(info, encode(info, in.encoding, refusal_for(info, thrown), request_id));
    }
    const Encoding encoding = in.encoding;
    net::Response response = co_await see_through(request, info, *std::move(work));
    if (has_room(request, response)) co_return said_by_s3(info, std::move(response));
    response = {};
    co_return encode(info, encoding, refusal_for(info, std::make_exception_ptr(net::ServerBusy())), request_id);
  }

  // No coroutine: enter()'s frame has no room for a call.
  Task<net::Response> begin(Call call) {
    const bool is_large = large_calls.takes(call);
    Task<net::Response> work = run(std::move(call));
    return is_large ? large_calls.run(std::move(work)) : std::move(work);
  }

  // S3 tells who answers, and when, with every answer.
  [[nodiscard]] net::Response said_by_s3(const OperationInfo& info, net::Response response) const {
    if (info.protocol != Protocol::rest_xml) return response;
    response.headers.add("Date", format_timestamp(platform.clock.now(), TimestampFormat::http_date));
    response.headers.add("Server", "AmazonS3");
    return response;
  }

  // Goes on to the end if the client leaves, unless the operation waits for the client's sake: it would take what
  // nobody gets.
  Task<net::Response> see_through(net::Request& request, const OperationInfo& info, Task<net::Response> work) {
    if (info.ends_with_client) {
      request.activity = {};  // it may wait for time to pass, and time passes only when all is quiet
      co_return co_await std::move(work);
    }
    net::Response response = co_await survivors.outlive(std::move(work));
    if (info.event_stream) {  // what it waits for from here on is for its client's sake
      request.activity = {};
      request.under_way = {};
    }
    co_return response;
  }
};

Front::Front(Platform& platform, FrontOptions options) : impl_(std::make_unique<Impl>(platform, std::move(options))) {}
Front::~Front() = default;

Task<net::Response> Front::handle(net::Request& request) {
  Impl& self = *impl_;
  Identity identity;
  self.identifier.identify(request, identity);
  if (self.hosts.kind_of(identity.head.host) == HostKind::foreign) {
    self.foreign_hosts.add();
    co_return refuse_access(self.routes, identity, foreign_host_line(identity.head.host));
  }
  if (self.options.function_urls) {
    const auto address = url_address(identity.head.host, request.target);
    if (address) co_return co_await self.answer_url(request, *address);
  }
  if (self.options.websites) {
    auto bucket = website_bucket(identity.head.host);
    if (bucket) co_return co_await self.answer_website(request, identity, *std::move(bucket));
  }
  const Page page = self.origins.page_of(request, identity);
  const bool is_of_page = page.standing != PageStanding::none || identity.kind == Identity::Kind::preflight;
  if (is_of_page) co_return co_await self.answer_page(request, identity, page);
  co_return co_await self.answer_identified(request, identity);
}

}  // namespace tidemill::wire
