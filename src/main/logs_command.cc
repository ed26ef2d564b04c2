#include "main/logs_command.h"

#include <csignal>
#include <cstdio>
#include <deque>
#include <set>
#include <stdexcept>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "net/http_client.h"
#include "net/loop.h"

namespace tidemill {
namespace {

using namespace std::chrono_literals;
using base::cat;

constexpr size_t kAnswerBytesMax = 16 << 20;
// Between two questions for more, while there is none.
constexpr auto kFollowInterval = 200ms;
// Events of several streams do not arrive in the order of their times: so far back it looks again.
constexpr int64_t kLookBackMilliseconds = 5'000;
// Ids that are remembered, so that nothing is shown twice.
constexpr size_t kSeenMax = 100'000;

class Failed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Viewer {
 public:
  Viewer(net::Loop& loop, const LogsOptions& options) : options_(options), client_(loop) {}

  Task<void> run() {
    group_ = co_await find_group();
    int64_t from = std::chrono::duration_cast<std::chrono::milliseconds>(
                       (clock_.now() - options_.since).time_since_epoch()).count();
    while (true) {
      const int64_t last = co_await show_from(from);
      if (!options_.follow) co_return;
      from = std::max(from, last - kLookBackMilliseconds);
      co_await clock_.sleep_until(clock_.now() + kFollowInterval);
    }
  }

 private:
  // Shows what has not been shown, and tells the time of the last event.
  Task<int64_t> show_from(int64_t from) {
    int64_t last = from;
    std::string token;
    do {
      json::Object request{{"logGroupName", group_}, {"startTime", from}};
      if (!token.empty()) request.set("nextToken", token);
      const json::Value page = co_await ask("FilterLogEvents", request);
      if (const json::Value* events = page.find("events")) {
        for (const json::Value& event : events->array()) last = std::max(last, show(event));
      }
      std::fflush(stdout);
      const json::Value* next = page.find("nextToken");
      token = next ? next->string() : "";
    } while (!token.empty());
    co_return last;
  }

  int64_t show(const json::Value& event) {
    const std::string& id = event.find("eventId")->string();
    if (seen_.insert(id).second) {
      order_.push_back(id);
      if (order_.size() > kSeenMax) {
        seen_.erase(order_.front());
        order_.pop_front();
      }
      std::string message = event.find("message")->string();
      if (!message.ends_with('\n')) message += '\n';
      std::fwrite(message.data(), 1, message.size(), stdout);
    }
    return event.find("timestamp")->to_int64().value_or(0);
  }

  // Where the function's lines go: its configuration says so.
  Task<std::string> find_group() {
    if (options_.function.starts_with('/')) co_return options_.function;
    net::HttpCall call = signed_call("lambda");
    call.method = "GET";
    call.url = cat(options_.endpoint, "/2015-03-31/functions/", encoded(options_.function), "/configuration");
    const json::Value configuration = answer_of(co_await client_.send(std::move(call)));
    const json::Value* logging = configuration.find("LoggingConfig");
    const json::Value* group = logging ? logging->find("LogGroup") : nullptr;
    co_return group ? group->string() : "/aws/lambda/" + options_.function;
  }

  // A group is made by the first line; until then there is nothing to see.
  Task<json::Value> ask(std::string_view operation, const json::Object& request) {
    net::HttpCall call = signed_call("logs");
    call.url = options_.endpoint + "/";
    call.headers.add("content-type", "application/x-amz-json-1.1");
    call.headers.add("x-amz-target", cat("Logs_20140328.", operation));
    call.body = json::write(request);
    net::HttpAnswer answer = co_await client_.send(std::move(call));
    if (answer.status == 400 && answer.body.find("ResourceNotFoundException") != std::string::npos) {
      if (!options_.follow) throw Failed(cat("there is no log group ", group_, ": nothing has been printed yet"));
      co_return json::Object{};
    }
    co_return answer_of(answer);
  }

  // Names service and region as clients do; nobody checks the signature of a server on loopback.
  net::HttpCall signed_call(std::string_view service) const {
    net::HttpCall call;
    call.answer_bytes_max = kAnswerBytesMax;
    call.headers.add("authorization",
                     cat("AWS4-HMAC-SHA256 Credential=", options_.access_key, "/20260101/", options_.region, "/", service,
                         "/aws4_request, SignedHeaders=host, Signature=", std::string(64, '0')));
    return call;
  }

  static json::Value answer_of(const net::HttpAnswer& answer) {
    auto document = json::parse(answer.body);
    if (answer.status == 200 && document) return *std::move(document);
    const json::Value* message = document ? document->find("message") : nullptr;
    if (document && !message) message = document->find("Message");
    throw Failed(message && message->is_string() ? message->string()
                                                 : cat("the server answered with status ", answer.status));
  }

  static std::string encoded(std::string_view text) {
    std::string result;
    for (const char c : text) {
      const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                            c == '_' || c == ':' || c == '.';
      if (is_plain) result += c;
      else result += cat("%", base::hex(static_cast<unsigned char>(c), 2));
    }
    return result;
  }

  const LogsOptions& options_;
  base::RealClock clock_;
  net::HttpClient client_;
  std::string group_;
  std::set<std::string> seen_;
  std::deque<std::string> order_;
};

Task<void> run_and_stop(Viewer& viewer, net::Loop& loop, std::string& failure) {
  try {
    co_await viewer.run();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  loop.stop();
}

}  // namespace

int show_logs(const LogsOptions& options) {
  // Interrupted while it follows, or when whoever reads goes away, it just ends.
  std::signal(SIGPIPE, SIG_DFL);
  base::Activity activity;
  net::Loop loop(activity);
  std::string failure;
  {
    Viewer viewer(loop, options);
    base::Scope scope;
    loop.post([&] { scope.spawn(run_and_stop(viewer, loop, failure)); });
    loop.run();
    const base::Executor::Enter enter(loop);
    scope.clear();
  }
  if (failure.empty()) return 0;
  std::fprintf(stderr, "tidemill: %s\n", failure.c_str());
  return 1;
}

}  // namespace tidemill
