#include "services/lambda/url_requests.h"

#include "base/text.h"
#include "base/uuid.h"
#include "services/lambda/errors.h"
#include "services/lambda/function_policy.h"
#include "services/lambda/function_url.h"
#include "services/lambda/invocation.h"
#include "services/lambda/payload.h"
#include "services/lambda/url_answer.h"
#include "services/lambda/url_cors.h"
#include "services/lambda/url_event.h"
#include "wire/large_work.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::lambda {
namespace {

using base::cat;

constexpr wire::PlatformMetric kRequests{"AWS/Lambda", "UrlRequestCount", "Count", "FunctionName"};
constexpr wire::PlatformMetric kLatency{"AWS/Lambda", "UrlRequestLatency", "Milliseconds", "FunctionName"};
constexpr wire::PlatformMetric kClientErrors{"AWS/Lambda", "Url4xxCount", "Count", "FunctionName"};
constexpr wire::PlatformMetric kServerErrors{"AWS/Lambda", "Url5xxCount", "Count", "FunctionName"};

net::Response forbidden() {
  return url_error(403, "AccessDeniedException",
                   "Forbidden. For troubleshooting Function URL authorization issues, see: "
                   "https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html");
}

net::Response too_large() { return url_error(413, "RequestEntityTooLargeException", "Request Entity Too Large"); }

// ---- Who may ----

// Throws Error for what is no signature for Lambda.
Task<wire::Caller> authenticate(const wire::UrlCall& call) {
  wire::Caller caller = co_await call.authenticate();
  if (call.scope->service != "lambda") {
    throw wire::Error("InvalidSignatureException", 403, "Credential should be scoped to correct service: 'lambda'. ");
  }
  co_return caller;
}

// Whether policies let the caller ask.
Task<bool> may_ask(wire::Platform& platform, const net::Request& request, const wire::UrlCall& call,
                   wire::Principal caller, FunctionReference reference) {
  wire::Context asking(platform, reference.address.account, reference.address.region, call.request_id,
                       std::move(caller));
  asking.endpoint = call.endpoint;
  asking.source_ip = call.source_ip;
  asking.user_agent = request.headers.get("user-agent");
  const std::string arn = reference.arn();
  try {
    co_await wire::authorize_deed(asking, {"lambda:InvokeFunctionUrl", arn, {{"lambda:FunctionUrlAuthType", "AWS_IAM"}}});
    co_return true;
  } catch (const wire::Error& error) {
    if (error.code != "AccessDeniedException") throw;
  }
  co_return false;
}

// ---- What it answers ----

// The pieces of an answer that streams. `rest` came with its beginning.
std::function<Task<std::optional<std::string>>()> pieces(std::shared_ptr<StreamedCall> call, std::string rest) {
  struct State {
    std::shared_ptr<StreamedCall> call;
    std::string rest;
  };
  return [state = std::make_shared<State>(State{std::move(call), std::move(rest)})]() -> Task<std::optional<std::string>> {
    const auto kept = state;
    if (!kept->rest.empty()) co_return std::exchange(kept->rest, {});
    if (auto piece = co_await kept->call->next()) co_return piece;
    // Half an answer must not look like a whole one: the connection ends before it does.
    const engine::InvocationResult result = co_await kept->call->result();
    if (result.status != engine::InvokeStatus::ok) throw net::ConnectionLost("the function failed in the middle");
    co_return std::nullopt;
  };
}

// Reads the prelude; the answer begins with what follows.
Task<net::Response> answer_with_prelude(std::shared_ptr<StreamedCall> call) {
  std::string begin;
  size_t end = std::string::npos;
  while (end == std::string::npos) {
    auto piece = co_await call->next();
    if (!piece || begin.size() > kPreludeBytesMax) co_return url_function_error();
    const size_t from = begin.size() < kPreludeEnd.size() ? 0 : begin.size() - kPreludeEnd.size() + 1;
    begin += *piece;
    end = begin.find(kPreludeEnd, from);
  }
  auto response = url_answer_head(std::string_view(begin).substr(0, end));
  if (!response) co_return url_function_error();
  response->stream = pieces(std::move(call), begin.substr(end + kPreludeEnd.size()));
  co_return *std::move(response);
}

// What the platform answers for a function that has none; throws Error.
net::Response answer_of_failure(const engine::InvocationResult& result, const FunctionReference& reference) {
  check_ran(result, reference);
  return url_function_error();
}

Task<net::Response> answer_streaming(Service& service, FunctionReference reference, FunctionPtr function,
                                     engine::Invocation invocation) {
  const auto call = co_await service.invoker().begin(std::move(function), std::move(invocation));
  const auto content_type = co_await call->begun();
  if (!content_type) co_return answer_of_failure(co_await call->result(), reference);
  if (*content_type == kHttpAnswerType) co_return co_await answer_with_prelude(call);
  net::Response response;
  response.headers.add("content-type", content_type->empty() ? "application/octet-stream" : *content_type);
  response.stream = pieces(call, {});
  co_return response;
}

Task<net::Response> answer_buffered(Service& service, FunctionReference reference, FunctionPtr function,
                                    engine::Invocation invocation) {
  engine::InvocationResult result = co_await service.invoker().run(std::move(function), std::move(invocation));
  if (result.status != engine::InvokeStatus::ok) co_return answer_of_failure(result, reference);
  const size_t bytes = result.payload.size();
  co_return co_await wire::do_large(service.large(), bytes, [payload = std::move(result.payload)]() mutable {
    return url_answer(std::move(payload));
  });
}

// "Root=1-…" of the request, or a new one.
std::string root_of(const Lineage& lineage, base::Time now) {
  const std::string header = lineage.header();
  if (header.starts_with("Root=")) return header.substr(0, header.find(';'));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  std::string digits;
  for (const char c : base::new_uuid()) {
    if (c != '-') digits.push_back(c);
  }
  return cat("Root=1-", base::hex(static_cast<uint64_t>(seconds), 8), "-", digits.substr(0, 24));
}

// Whether the policy lets anybody ask. Without holding on to a snapshot: a function may run for minutes, in which the store
// could clear away nothing.
Task<bool> is_public_by_policy(Service& service, FunctionReference reference) {
  const auto snapshot = service.store().snapshot();
  lang::PolicyStatements policy = co_await load_policy(*snapshot, std::move(reference));
  co_return lets_anybody_ask(policy);
}

Task<std::optional<FoundUrl>> find_url(Service& service, std::string id) {
  const auto snapshot = service.store().snapshot();
  co_return co_await find_function_url(*snapshot, std::move(id));
}

// A large body is made an event of on a thread, which nobody waits for if its client leaves.
Task<std::string> read_event(Service& service, net::Request& request, UrlEvent event) {
  std::string body = co_await request.body->read_all(wire::kUrlBodyBytesMax);
  const size_t bytes = body.size();
  co_return co_await wire::do_large(service.large(), bytes, [event = std::move(event), body = std::move(body)]() mutable {
    return with_body(std::move(event), body);
  });
}

// Throws Error.
Task<net::Response> run(Service& service, wire::Platform& platform, net::Request& request, const wire::UrlCall& call,
                        FoundUrl found) {
  const base::Time now = platform.clock.now();
  const bool is_public = found.url.auth_type == shapes::FunctionUrlAuthType::kNone;
  const FunctionPtr function = co_await service.functions().find(found.reference);
  if (!function) co_return forbidden();
  std::optional<wire::Caller> caller;
  if (is_public) {
    if (!co_await is_public_by_policy(service, found.reference)) co_return forbidden();
  } else {
    if (!call.scope) co_return forbidden();
    caller = co_await authenticate(call);
    if (caller->account.empty()) caller->account = found.reference.address.account;
    if (!co_await may_ask(platform, request, call, caller->principal, found.reference)) co_return forbidden();
  }
  Lineage lineage(request.headers.get("x-amzn-trace-id"));
  const std::string root = root_of(lineage, now);
  if (extend(lineage, *function)) co_return url_error(429, "RecursiveInvocationException", "The chain of calls is too long");
  UrlRequest url{.request = request,
                 .target = call.address.target,
                 .url_id = found.url.id,
                 .request_id = call.request_id,
                 .trace_header = root,
                 .now = now,
                 .is_protected = call.is_protected,
                 .caller = caller ? &*caller : nullptr};
  engine::Invocation invocation;
  invocation.request_id = call.request_id;
  invocation.payload = co_await read_event(service, request, url_event(url));
  if (invocation.payload.size() > kPayloadBytesMax) co_return too_large();
  invocation.function_arn = found.reference.arn();
  invocation.trace_header = lineage.header();
  const bool streams = found.url.invoke_mode == shapes::InvokeMode::kResponseStream;
  net::Response response =
      streams ? co_await answer_streaming(service, found.reference, function, std::move(invocation))
              : co_await answer_buffered(service, found.reference, function, std::move(invocation));
  response.headers.set("x-amzn-trace-id", root);
  co_return response;
}

Task<net::Response> answer_found(Service& service, wire::Platform& platform, net::Request& request,
                                 const wire::UrlCall& call, FoundUrl found) {
  const std::optional<shapes::Cors> cors = found.url.cors;
  if (cors) {
    if (auto preflight = answer_preflight(*cors, request)) co_return *std::move(preflight);
  }
  net::Response response;
  try {
    response = co_await run(service, platform, request, call, std::move(found));
  } catch (const wire::Error& error) {
    response = url_error(error.http_status, error.code, error.message);
  } catch (const net::BodyTooLarge&) {
    response = too_large();
  }
  if (cors) apply_cors(*cors, request, response);
  co_return response;
}

}  // namespace

Task<net::Response> UrlRequests::answer(net::Request& request, wire::UrlCall call) {
  const base::Time begun = clock_.now();
  auto found = co_await find_url(service_, std::string(call.address.id));
  net::Response response;
  if (found) {
    const FunctionAddress address = found->reference.address;
    response = co_await answer_found(service_, platform_, request, call, *std::move(found));
    if (usage_) {
      const auto add = [&](const wire::PlatformMetric& metric, double value) {
        usage_->add(metric, address.account, address.region, address.name, value);
      };
      add(kRequests, 1);
      add(kLatency, std::chrono::duration<double, std::milli>(clock_.now() - begun).count());
      add(kClientErrors, response.status / 100 == 4 ? 1 : 0);
      add(kServerErrors, response.status / 100 == 5 ? 1 : 0);
    }
  } else {
    response = forbidden();
  }
  response.headers.set("x-amzn-RequestId", call.request_id);
  // By path it would be a page of this server, which may do everything.
  if (call.address.is_by_path) response.headers.add("content-security-policy", "sandbox allow-scripts allow-forms");
  co_return response;
}

}  // namespace tidemill::lambda
