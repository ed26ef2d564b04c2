// What a function's process asks of its worker: the Lambda Runtime API.
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
  response.body = std::move(call_->invocation.payload);
  return response;
}

Task<net::Response> Worker::serve(std::weak_ptr<Worker> worker, net::Request& request) {
  const auto self = worker.lock();
  if (!self) co_return error_response(410, "Gone", "this worker has ended");
  std::string_view target = request.target;
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
  if (!call_) {
    alarm_.cancel();
    if (state_ == State::starting || state_ == State::busy) become_idle();
  }
  net::Response invocation = co_await response;
  parked.answered();
  co_return invocation;
}

Task<net::Response> Worker::answer(net::Request& request, std::string_view request_id, bool is_error) {
  const auto is_current = [&] { return call_ && !result_ && call_->invocation.request_id == request_id; };
  if (!is_current()) co_return error_response(400, "InvalidRequestID", "Invalid request ID");
  struct Reading {
    int& count;
    explicit Reading(int& counter) : count(counter) { ++count; }
    ~Reading() { --count; }
  } reading(bodies_being_read_);
  std::optional<std::string> body = co_await read_up_to(*request.body, kResponseBytesMax);
  if (!is_current()) co_return error_response(400, "InvalidRequestID", "Invalid request ID");

  InvocationResult result;
  if (body && !is_error) {
    result.payload = std::move(*body);
    finish_soon(std::move(result));
    co_return accepted();
  }
  result.status = InvokeStatus::function_error;
  result.function_error = "Unhandled";
  result.detail = request.headers.get("lambda-runtime-function-error-type");
  if (body) {
    result.payload = std::move(*body);
    finish_soon(std::move(result));
    co_return accepted();
  }
  result.payload = response_too_large_document();
  result.detail = "Function.ResponseSizeTooLarge";
  finish_soon(std::move(result));
  co_return error_response(413, "RequestEntityTooLarge",
                           cat("Exceeded maximum allowed payload size (", kResponseBytesMax, " bytes)."));
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
  const std::string wanted = name.language == Language::python ? cat(name.major, ".", name.minor, ".")
                                                               : cat(name.major, ".");
  const std::string_view version = user_agent.substr(slash + 1);
  if (version.starts_with(wanted)) return;
  base::log_warning("runtime_substituted", {{"function", spec().name},
                                            {"runtime", spec().runtime},
                                            {"runs_on", std::string(version)},
                                            {"interpreter", setup_.launch.interpreter->path.string()}});
}

}  // namespace tidemill::engine
