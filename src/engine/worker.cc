#include "engine/worker.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <random>

#include "base/log.h"
#include "base/text.h"
#include "engine/worker_environment.h"
#include "engine/worker_errors.h"
#include "engine/worker_memory.h"

namespace tidemill::engine {
using base::cat;
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kApi = "/2018-06-01/runtime/";
// An error document is small; a longer one is cut off by refusing it.
constexpr size_t kErrorBytesMax = 1 << 20;
constexpr uint64_t kMegabyte = 1 << 20;
// Rounds of the loop that a dead process's last words get to arrive in.
constexpr int kLastWordsRounds = 4;
constexpr int kLastBodyRoundsMax = 4096;

// What functions measure their time by is the machine's clock, whatever the platform's says.
base::Time machine_time() { return base::RealClock().now(); }

int64_t milliseconds(base::Time time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

std::string log_stream_name(base::Time now, std::string_view version) {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) id += base::hex(random(), 8);
  std::string date = base::iso_milliseconds(now).substr(0, 10);
  std::ranges::replace(date, '-', '/');
  return cat(date, "/[", version, "]", id);
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

Worker::Worker(net::Loop& loop, Owner& owner, Setup setup)
    : loop_(loop), owner_(owner), setup_(std::move(setup)), output_(setup_.spec->name) {}

Worker::~Worker() = default;

// ---- The life of the process ----------------------------------------------------------------------------------------

void Worker::start(base::Scope& scope) {
  started_ = machine_time();
  try {
    if (!setup_.launch.interpreter && !std::filesystem::is_regular_file(spec().code / "bootstrap")) {
      throw std::runtime_error("Couldn't find valid bootstrap(s): [" + (spec().code / "bootstrap").string() + "]");
    }
    std::filesystem::create_directories(setup_.temporary);
    // A function may take its time over an invocation and ask again on the same connection.
    net::ServerLimits limits;
    limits.keep_alive_timeout = 24h;
    limits.requests_are_activity = false;
    limits.connections_max = 16;
    net::Loop* const loops[] = {&loop_};
    server_ = std::make_unique<net::HttpServer>(
        loops, "127.0.0.1", 0, limits, [weak = weak_from_this()](net::Request& request) -> Task<net::Response> {
          if (auto self = weak.lock()) return serve(std::move(self), request);
          return Task<net::Response>::ready(error_response(410, "Gone", "this worker has ended"));
        });
    const WorkerPlace place{server_->port(), setup_.temporary, log_stream_name(started_, spec().version), setup_.endpoint};
    process_ = std::make_unique<net::Process>(loop_, worker_process(spec(), setup_.launch, place),
                                              [weak = weak_from_this()](std::string_view bytes) {
                                                if (auto self = weak.lock()) self->output_.append(bytes);
                                              });
  } catch (const std::exception& error) {
    loop_.post([self = shared_from_this(), what = std::string(error.what())] {
      if (self->state_ == State::closed) return;
      StartFailure failure;
      failure.error_type = "Runtime.InvalidEntrypoint";
      failure.message = what;
      if (self->setup_.launch.interpreter) failure.status = InvokeStatus::failed;
      self->fail_start(std::move(failure));
      self->state_ = State::ending;
      self->owner_.on_ended(*self);
    });
    return;
  }
  alarm_ = loop_.call_after(setup_.start_limit, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->start_timed_out();
  });
  scope.spawn(watch(shared_from_this()));
}

Task<void> Worker::watch(std::shared_ptr<Worker> self) {
  const net::ExitStatus status = co_await self->process_->exited();
  // What it wrote and posted before it ended is still on its way through the loop.
  for (int round = 0; round < kLastWordsRounds; ++round) co_await base::yield();
  for (int round = 0; self->bodies_being_read_ > 0 && round < kLastBodyRoundsMax; ++round) co_await base::yield();
  self->exited(status);
}

void Worker::exited(net::ExitStatus status) {
  if (state_ == State::closed) return;
  output_.flush();
  if (state_ == State::starting) fail_start({.error_type = "Runtime.ExitError", .message = exit_message(status)});
  if (call_ && result_) finish();
  if (call_) {
    const std::string message = exit_message(status);
    fail_call("Runtime.ExitError", message,
              cat("RequestId: ", call_->invocation.request_id, " Error: ", message, "\nRuntime.ExitError\n"));
  }
  state_ = State::ending;
  owner_.on_ended(*this);
}

void Worker::end() {
  if (state_ == State::ending || state_ == State::closed) return;
  if (state_ == State::idle) state_ = State::ending;
  if (process_) process_->kill(SIGKILL);
}

void Worker::close() {
  state_ = State::closed;
  alarm_.cancel();
  process_.reset();
  server_.reset();
  std::error_code error;
  std::filesystem::remove_all(setup_.temporary, error);
}

void Worker::start_timed_out() {
  if (state_ != State::starting) return;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(setup_.start_limit);
  fail_start({.timed_out = true, .error_type = "Sandbox.Timedout", .message = timeout_message(seconds)});
  end();
}

void Worker::fail_start(StartFailure failure) {
  if (state_ != State::starting) return;
  state_ = State::busy;  // no longer starting; exited() makes the rest
  alarm_.cancel();
  owner_.on_start_failed(*this, std::move(failure));
}

void Worker::check_memory() {
  if (!call_ || !process_) return;
  const uint64_t used = private_memory(process_->pid());
  memory_peak_ = std::max(memory_peak_, used);
  if (used <= static_cast<uint64_t>(spec().memory_mb) * kMegabyte) return;
  base::log_warning("function_memory_exceeded", {{"function", spec().name},
                                                 {"limit_mb", std::to_string(spec().memory_mb)},
                                                 {"used_mb", std::to_string(used / kMegabyte)}});
  end();
}

// ---- An invocation --------------------------------------------------------------------------------------------------

void Worker::dispatch(std::unique_ptr<WorkerCall> call) {
  state_ = State::busy;
  call_ = std::move(call);
  result_.reset();
  started_ = machine_time();
  output_.begin(call_->invocation.request_id);
  if (report_wanted()) {
    output_.platform_line(cat("START RequestId: ", call_->invocation.request_id, " Version: ", spec().version, "\n"));
  }
  alarm_ = loop_.call_after(spec().timeout, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->timed_out();
  });
  const base::Future<net::Response> waiting = std::move(*parked_);
  parked_.reset();
  waiting.set(invocation_response(*call_));
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
  std::string digits;
  for (const char c : id) {
    if (c != '-') digits.push_back(c);
  }
  digits.resize(32, '0');
  headers.add("Lambda-Runtime-Trace-Id", cat("Root=1-", base::hex(static_cast<uint64_t>(milliseconds(started_) / 1000), 8),
                                             "-", digits.substr(0, 24), ";Parent=", digits.substr(16), ";Sampled=0"));
  if (!call.invocation.client_context.empty()) {
    headers.add("Lambda-Runtime-Client-Context", call.invocation.client_context);
  }
  response.body = std::move(call_->invocation.payload);
  return response;
}

void Worker::timed_out() {
  if (call_ && !result_) {
    const std::string message = timeout_message(spec().timeout);
    fail_call("Sandbox.Timedout", message,
              cat(base::iso_milliseconds(machine_time()), "Z ", call_->invocation.request_id, " ", message, "\n\n"));
  } else if (parked_) {
    return;
  }
  end();
}

void Worker::fail_call(std::string_view error_type, std::string_view message, std::string_view log_line) {
  output_.flush();
  output_.platform_line(log_line);
  InvocationResult result;
  result.status = InvokeStatus::function_error;
  result.function_error = "Unhandled";
  result.payload = error_document(error_type, call_->invocation.request_id, message);
  result.detail = std::string(message);
  result_ = std::move(result);
  finish();
}

// The reply may overtake what was printed before it: let the pipe be read first.
void Worker::finish_soon(InvocationResult result) {
  result_ = std::move(result);
  loop_.post([weak = weak_from_this(), id = call_->invocation.request_id] {
    const auto self = weak.lock();
    if (!self) return;
    self->loop_.post([weak, id] {
      if (const auto again = weak.lock(); again && again->call_ && again->call_->invocation.request_id == id) again->finish();
    });
  });
}

void Worker::finish() {
  if (call_->invocation.want_tail && process_) memory_peak_ = std::max(memory_peak_, private_memory(process_->pid()));
  report(result_->status == InvokeStatus::ok ? "" : result_->payload.starts_with(R"({"errorType":"Sandbox.Timedout")")
                                                        ? "\tStatus: timeout"
                                                        : "\tStatus: error");
  if (call_->invocation.want_tail) result_->log_tail = output_.tail();
  std::unique_ptr<WorkerCall> call = std::move(call_);
  InvocationResult result = std::move(*result_);
  result_.reset();
  // A process that does not ask again is of no use: its time runs on from the reply.
  alarm_ = parked_ ? base::Alarm() : loop_.call_after(spec().timeout, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->timed_out();
  });
  owner_.on_call_done(*this, std::move(call), std::move(result));
  if (parked_ && state_ == State::busy) become_idle();
}

// The platform's own lines are seen in a tail and at level debug only; most invocations need none.
bool Worker::report_wanted() const { return call_->invocation.want_tail || base::log_enabled(base::Level::debug); }

void Worker::report(std::string_view status) {
  if (!report_wanted()) return start_duration_.reset();
  const std::string& id = call_->invocation.request_id;
  const double elapsed = std::chrono::duration<double, std::milli>(machine_time() - started_).count();
  output_.platform_line(cat("END RequestId: ", id, "\n"));
  std::string line = cat("REPORT RequestId: ", id, "\tDuration: ", base::fixed(elapsed, 2), " ms\tBilled Duration: ",
                         base::fixed(std::ceil(elapsed), 0), " ms\tMemory Size: ", spec().memory_mb,
                         " MB\tMax Memory Used: ", memory_peak_ / kMegabyte, " MB");
  if (start_duration_) {
    const double start = std::chrono::duration<double, std::milli>(*start_duration_).count();
    line += cat("\tInit Duration: ", base::fixed(start, 2), " ms");
    start_duration_.reset();
  }
  line += status;
  output_.platform_line(line + "\t\n");
}

void Worker::become_idle() {
  state_ = State::idle;
  owner_.on_idle(*this);
}

// ---- The runtime API ------------------------------------------------------------------------------------------------

Task<net::Response> Worker::serve(std::shared_ptr<Worker> self, net::Request& request) {
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
    start_duration_ = machine_time() - started_;
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
  if (!setup_.warn_of_substitute || !setup_.launch.interpreter || slash == std::string_view::npos || !user_agent.starts_with("tidemill-")) return;
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
