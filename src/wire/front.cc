#include "wire/front.h"

#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "base/survivors.h"
#include "wire/pipeline/admit.h"
#include "wire/pipeline/answer_sizes.h"
#include "wire/pipeline/call.h"
#include "wire/pipeline/encode.h"
#include "wire/pipeline/form.h"
#include "wire/pipeline/unknown_request.h"

namespace tidemill::wire {

namespace {

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

base::Counter& foreign_counter(base::Metrics& metrics, std::string_view reason) {
  return metrics.counter("tidemill_foreign_requests_total",
                         "Requests refused for the name they call the server by, or the page that sent them.",
                         "reason=\"" + std::string(reason) + "\"");
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
  base::Survivors survivors;

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
        survivors(p.clock.activity()) {}

  [[nodiscard]] Context context_of(const net::Request& request, Caller&& caller, std::string request_id,
                                   std::function<void(std::string_view)>& check_body) const {
    check_body = std::move(caller.check_body);
    Context context(platform, caller.account.empty() ? options.account : std::move(caller.account),
                    caller.region.empty() ? options.region : std::move(caller.region), std::move(request_id),
                    std::move(caller.principal));
    context.endpoint = options.endpoint;
    context.source_ip = host_of_peer(request.peer);
    return context;
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
      case Identity::Kind::own: return identity.own->handler(request);
      case Identity::Kind::form: return answer_form(request, identity);
      case Identity::Kind::operation: return enter(request, identity, *identity.endpoint, nullptr);
      case Identity::Kind::preflight:
      case Identity::Kind::unknown: break;
    }
    return Task<net::Response>::ready(refuse_as_unknown(identity, ""));
  }

  net::Response refuse_as_unknown(const Identity& identity, const std::string& action) {
    unknown.add();
    return refuse_unknown(routes, identity, action, new_request_id(identity.service == kS3));
  }

  // Only its form tells which operation it means.
  Task<net::Response> answer_form(net::Request& request, Identity& identity) {
    std::optional<Form> form;
    std::optional<Error> refused;
    try {
      form = co_await read_form(request, identity, routes);
    } catch (const Error& error) {
      refused = error;
    }
    if (refused) co_return answer_error(error_style(routes, identity), *refused, new_request_id(false));
    if (!form->endpoint) co_return refuse_as_unknown(identity, form->action.empty() ? "(none)" : form->action);
    co_return co_await enter(request, identity, *form->endpoint, std::move(form->tree));
  }

  // From authentication on. `form` of a Query request, whose body has been read.
  Task<net::Response> enter(net::Request& request, Identity& identity, const Endpoint& endpoint,
                            std::unique_ptr<shapes::QueryNode> form) {
    const OperationInfo& info = endpoint.operation->info;
    std::string request_id = new_request_id(info.protocol == Protocol::rest_xml);
    WireRequest in{.encoding = form ? Encoding::query : identity.encoding, .labels = std::move(identity.labels)};
    std::optional<Task<net::Response>> work;
    std::function<void(std::string_view)> check_body;
    try {
      // One expression, so that less is kept in this frame: those beyond a kilobyte come from the heap.
      Context context = context_of(request, co_await authenticate(*options.authenticator, request, identity, platform.clock),
                                   request_id, check_body);
      co_await authorize({context, info});
      co_await admit_answer(request, answer_sizes.of(info));
      if (is_rest(info)) fill_rest(request, in);
      std::string body;
      if (!form && info.streaming_input) in.stream = admit_stream(request, info, in);
      else if (!form) body = co_await admit_body(request, info, in);
      if (check_body) check_body(body);
      work = run({*endpoint.operation, std::move(context), std::move(in), std::move(body), std::move(form)});
    } catch (const net::ConnectionLost&) {
      throw;
    } catch (...) {
      const std::exception_ptr thrown = std::current_exception();
      endpoint.metrics().count(call_outcome(thrown));
      co_return encode(info, in.encoding, refusal_for(info, thrown), request_id);
    }
    const Encoding encoding = in.encoding;
    net::Response response = co_await see_through(request, info, *std::move(work));
    if (has_room(request, response)) co_return response;
    response = {};
    co_return encode(info, encoding, refusal_for(info, std::make_exception_ptr(net::ServerBusy())), request_id);
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
  const Page page = self.origins.page_of(request, identity);
  const bool is_of_page = page.standing != PageStanding::none || identity.kind == Identity::Kind::preflight;
  if (is_of_page) co_return co_await self.answer_page(request, identity, page);
  co_return co_await self.answer_identified(request, identity);
}

}  // namespace tidemill::wire
