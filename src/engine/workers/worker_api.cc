// What a function's process asks of its worker: the Lambda Runtime API.
#include "base/base64.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "engine/workers/worker.h"
#include "engine/workers/worker_errors.h"

namespace tidemill::engine {
using base::cat;
namespace {

constexpr std::string_view kApi = "/2018-06-01/runtime/";
// An error document is small; a longer one is cut off by refusing it.
constexpr size_t kErrorBytesMax = 1 << 20;

int64_t milliseconds(base::Time time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

net::Response json_response(int status, std::string body) {
  net::Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
}

net::Response error_response(int status, std::string_view type, std::string_view message) {
  return json_response(status, cat(R"({"errorMessage":")", message, R"(","errorType":")", type, R"("})"));
}

// What is spoken by extensions, also by those within a function's own process; empty: it is none of theirs.
std::string_view refused_api(std::string_view target) {
  if (target.starts_with("/2020-01-01/extension/")) return "Extensions API";
  if (target.starts_with("/2022-07-01/telemetry")) return "Telemetry API";
  if (target.starts_with("/2020-08-15/logs")) return "Logs API";
  return {};
}

net::Response accepted() { return json_response(202, R"({"status":"OK"})"); }

// The body, or nothing if it is longer than `limit`; then the rest is read and dropped, for clients that send all before
// they listen.
Task<std::optional<std::string>> read_up_to(net::Body& body, size_t limit) {
  std::string bytes;
  bool fits = true;
  while (auto piece = co_await body.read_some()) {
    fits = fits && bytes.size() + piece->size() <= limit;
    if (!fits) continue;
    if (bytes.empty()) bytes = std::move(*piece);
    else bytes += *piece;
  }
  if (!fits) co_return std::nullopt;
  co_return bytes;
}

net::Response invalid_request_id() { return error_response(400, "InvalidRequestID", "Invalid request ID"); }

// Whether the process says that the answer comes as it is made.
bool streams(const net::Request& request) {
  return request.headers.get("lambda-runtime-function-response-mode") == "streaming";
}

// What stands behind an answer whose function failed after it had begun (AWS: "Building a custom runtime", response
// streaming). Nothing: it came to its end.
std::optional<InvocationResult> midway_error(const net::Request& request) {
  const auto type = request.trailers.find("lambda-runtime-function-error-type");
  if (!type) return std::nullopt;
  InvocationResult result;
  result.status = InvokeStatus::function_error;
  result.function_error = "Unhandled";
  result.detail = *type;
  result.payload = base::base64_decode(request.trailers.get("lambda-runtime-function-error-body")).value_or("");
  if (result.payload.empty()) result.payload = R"({"errorType":)" + json::write(json::Value(result.detail)) + "}";
  return result;
}

}  // namespace

// Stands in the frame of a waiting GET. If that is destroyed unanswered its process has hung up.
class Worker::Parked {
 public:
  explicit Parked(Worker& worker) : worker_(worker), count_(++worker.parked_count_) {}
  Parked(const Parked&) = delete;
  ~Parked() {
    if (answered_ || worker_.parked_count_ != count_ || worker_.state_ == State::closed) return;
    worker_.parked_.reset();
    worker_.end();
  }
  void answered() { answered_ = true; }

 private:
  Worker& worker_;
  const uint64_t count_;
  bool answered_ = false;
};

// Of the chain that the invocation belongs to, with itself as the parent of what it calls; a chain that begins here gets
// its name from the request.
std::string trace_id(const Invocation& invocation, base::Time started) {
  std::string digits;
  for (const char c : invocation.request_id) {
    if (c != '-') digits.push_back(c);
  }
  digits.resize(32, '0');
  std::string_view chain = invocation.trace_header;
  std::string root = cat("Root=1-", base::hex(static_cast<uint64_t>(milliseconds(started) / 1000), 8), "-",
                         digits.substr(0, 24));
  if (chain.starts_with("Root=")) {
    const size_t end = chain.find(';');
    root = chain.substr(0, end);
    chain.remove_prefix(end == std::string_view::npos ? chain.size() : end + 1);
  }
  std::string result = cat(root, ";Parent=", digits.substr(16), ";Sampled=0");
  if (!chain.empty()) result += cat(";", chain);
  return result;
}

net::Response Worker::invocation_response(const WorkerCall& call) const {
  net::Response response;
  const std::string& id = call.invocation.request_id;
  net::Headers& headers = response.headers;
  headers.add("Content-Type", "application/json");
  headers.add("Lambda-Runtime-Aws-Request-Id", id);
  headers.add("Lambda-Runtime-Deadline-Ms", std::to_string(milliseconds(started_ + spec().timeout)));
  headers.add("Lambda-Runtime-Invoked-Function-Arn",
              call.invocation.function_arn.empty() ? spec().arn : call.invocation.function_arn);
  headers.add("Lambda-Runtime-Trace-Id", trace_id(call.invocation, started_));
  if (!call.invocation.client_context.empty()) {
    headers.add("Lambda-Runtime-Client-Context", call.invocation.client_context);
  }
  if (setup_.tells_time) headers.add("Tidemill-Time-Us", std::to_string(setup_.clock->now().time_since_epoch().count()));
  response.body = std::move(call_->invocation.payload);
  return response;
}

Task<net::Response> Worker::serve(std::weak_ptr<Worker> worker, net::Request& request) {
  const auto self = worker.lock();
  if (!self) co_return error_response(410, "Gone", "this worker has ended");
  std::string_view target = request.target;
  if (const auto api = refused_api(target); !api.empty()) {
    co_return error_response(501, "NotSupported", cat("Tidemill does not support the ", api, " of Lambda."));
  }
  if (!target.starts_with(kApi)) co_return error_response(404, "NotFound", "no such path in the runtime API");
  target.remove_prefix(kApi.size());
  if (target == "invocation/next" && request.method == "GET") {
    co_return co_await self->next(request.headers.get("user-agent"));
  }
  if (request.method != "POST") co_return error_response(404, "NotFound", "no such path in the runtime API");
  if (target == "init/error") co_return co_await self->init_error(request);
  if (target.starts_with("invocation/")) {
    target.remove_prefix(std::string_view("invocation/").size());
    const size_t slash = target.find('/');
    const std::string_view what = slash == std::string_view::npos ? "" : target.substr(slash + 1);
    if (what == "response" || what == "error") {
      co_return co_await self->answer(request, target.substr(0, slash), what == "error");
    }
  }
  co_return error_response(404, "NotFound", "no such path in the runtime API");
}

Task<net::Response> Worker::next(std::string_view user_agent) {
  if (state_ == State::ending || state_ == State::closed || (call_ && !result_)) {
    co_return error_response(403, "InvalidStateTransition", "an invocation is under way");
  }
  Parked parked(*this);
  const base::Future<net::Response> response = parked_.emplace();
  if (state_ == State::starting) {
    start_duration_ = base::RealClock().now() - started_;
    warn_of_substitute(user_agent);
  }
  if (!call_ && !ends_) {
    alarm_.cancel();
    if (state_ == State::starting || state_ == State::busy) become_idle();
  }
  net::Response invocation = co_await response;
  parked.answered();
  co_return invocation;
}

// An answer that is being read. If that ends before its end, the process has hung up on us and is of no more use.
class Worker::Reading {
 public:
  Reading(Worker& worker, std::string_view request_id) : worker_(worker), request_id_(request_id) {
    ++worker_.bodies_being_read_;
  }
  Reading(const Reading&) = delete;
  ~Reading() {
    --worker_.bodies_being_read_;
    if (!is_whole_ && worker_.state_ == State::busy && worker_.is_current(request_id_)) worker_.end();
  }
  void is_whole() { is_whole_ = true; }

 private:
  Worker& worker_;
  const std::string request_id_;
  bool is_whole_ = false;
};

bool Worker::is_current(std::string_view request_id) const {
  return call_ && !result_ && call_->invocation.request_id == request_id;
}

Task<net::Response> Worker::answer(net::Request& request, std::string_view request_id, bool is_error) {
  if (!is_current(request_id)) co_return invalid_request_id();
  // Two at the same time would be one answer of both their pieces.
  if (bodies_being_read_ > 0) co_return error_response(403, "InvalidStateTransition", "an answer is on its way already");
  Reading reading(*this, request_id);
  const std::shared_ptr<ResponseStream> stream = is_error ? nullptr : call_->invocation.stream;
  if (stream && streams(request)) {
    net::Response response = co_await pass_on(request, request_id);
    reading.is_whole();
    co_return response;
  }
  std::optional<std::string> body = co_await read_up_to(*request.body, kResponseBytesMax);
  reading.is_whole();
  if (!is_current(request_id)) co_return invalid_request_id();
  if (stream && body && !midway_error(request)) {
    stream->begin(std::string(request.headers.get("content-type")));
    co_await stream->give(*std::exchange(body, std::string()));  // the first piece: it waits for nobody
  }
  co_return take_answer(std::move(body), request, is_error);
}

// Each piece as it comes, the beginning before there is any.
Task<net::Response> Worker::pass_on(net::Request& request, std::string_view request_id) {
  const std::shared_ptr<ResponseStream> stream = call_->invocation.stream;
  stream->begin(std::string(request.headers.get("content-type")));
  size_t bytes = 0;
  while (auto piece = co_await request.body->read_some()) {
    if (!is_current(request_id)) co_return invalid_request_id();
    bytes += piece->size();
    if (bytes <= kStreamedBytesMax && !piece->empty()) co_await stream->give(std::move(*piece));
  }
  if (!is_current(request_id)) co_return invalid_request_id();
  std::optional<std::string> rest;
  if (bytes <= kStreamedBytesMax) rest.emplace();  // it has gone already
  co_return take_answer(std::move(rest), request, false);
}

// Nothing: there was too much of it.
net::Response Worker::take_answer(std::optional<std::string> body, const net::Request& request, bool is_error) {
  InvocationResult result;
  if (auto error = midway_error(request); error && body) {
    finish_soon(*std::move(error));
    return accepted();
  }
  if (body && !is_error) {
    result.payload = std::move(*body);
    finish_soon(std::move(result));
    return accepted();
  }
  result.status = InvokeStatus::function_error;
  result.function_error = "Unhandled";
  result.detail = request.headers.get("lambda-runtime-function-error-type");
  if (body) {
    result.payload = std::move(*body);
    finish_soon(std::move(result));
    return accepted();
  }
  const size_t bytes_max = !is_error && call_->invocation.stream && streams(request) ? kStreamedBytesMax : kResponseBytesMax;
  result.payload = response_too_large_document(bytes_max);
  result.detail = "Function.ResponseSizeTooLarge";
  finish_soon(std::move(result));
  return error_response(413, "RequestEntityTooLarge",
                        cat("Exceeded maximum allowed payload size (", bytes_max, " bytes)."));
}

Task<net::Response> Worker::init_error(net::Request& request) {
  if (state_ != State::starting) co_return error_response(403, "InvalidStateTransition", "the runtime has started");
  const std::optional<std::string> body = co_await read_up_to(*request.body, kErrorBytesMax);
  StartFailure failure;
  failure.document = body.value_or("");
  failure.error_type = request.headers.get("lambda-runtime-function-error-type");
  failure.message = "the runtime reported an error while it started";
  // As with replies: what was printed before this comes first.
  co_await base::yield();
  co_await base::yield();
  fail_start(std::move(failure));
  co_return accepted();
}

void Worker::warn_of_substitute(std::string_view user_agent) {
  // "tidemill-python/3.11.2"
  const size_t slash = user_agent.find('/');
  if (!setup_.warn_of_substitute || !setup_.launch.interpreter) return;
  if (slash == std::string_view::npos || !user_agent.starts_with("tidemill-")) return;
  const RuntimeName& name = setup_.launch.name;
  const bool has_minor = name.language == Language::python || name.language == Language::ruby;
  const std::string wanted = has_minor ? cat(name.major, ".", name.minor, ".") : cat(name.major, ".");
  const std::string_view version = user_agent.substr(slash + 1);
  if (version.starts_with(wanted)) return;
  base::log_warning("runtime_substituted", {{"function", spec().name},
                                            {"runtime", spec().runtime},
                                            {"runs_on", std::string(version)},
                                            {"interpreter", setup_.launch.interpreter->path.string()}});
}

}  // namespace tidemill::engine
