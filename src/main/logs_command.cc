#include "main/logs_command.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <set>

#include "base/clock.h"
#include "base/future.h"
#include "base/json.h"
#include "base/text.h"
#include "wire/arn.h"

namespace tidemill {
namespace {

using namespace std::chrono_literals;
using base::cat;

// Between two looks for a group that is not there yet: the first line makes it.
constexpr auto kGroupInterval = 1s;
// Events of several streams do not arrive in the order of their times: so far back it looks again.
constexpr int64_t kLookBackMilliseconds = 5'000;
// Ids that are remembered, so that nothing is shown twice.
constexpr size_t kSeenMax = 100'000;

class Viewer {
 public:
  Viewer(net::Loop& loop, const LogsOptions& options) : options_(options), client_(loop, options.client) {}

  Task<void> run() {
    group_ = co_await find_group();
    int64_t from = std::chrono::duration_cast<std::chrono::milliseconds>(
                       (clock_.now() - options_.since).time_since_epoch()).count();
    if (!options_.follow) {
      (void)co_await show_from(from);
      co_return;
    }
    while (true) {
      const std::string arn = co_await find_arn();
      if (arn.empty()) co_await clock_.sleep_until(clock_.now() + kGroupInterval);
      else from = co_await follow(arn, from);
    }
  }

 private:
  // A live tail that tells when there is something to see. What it is is asked for: a tail leaves events out when there
  // are many.
  struct Tail {
    base::Signal wake;
    bool is_over = false;
    std::string failure;
  };

  static Task<void> listen(ApiClient& client, json::Object request, Tail& tail) {
    try {
      co_await client.listen("logs", "1.1", "Logs_20140328.StartLiveTail", request,
                             [&tail](std::string_view) { tail.wake.signal(); });
    } catch (const std::exception& error) {
      tail.failure = error.what();
    }
    tail.is_over = true;
    tail.wake.signal();
  }

  // Shows what comes until the tail ends, which it does after three hours. From when on to look after that.
  Task<int64_t> follow(std::string arn, int64_t from) {
    Tail tail;
    base::Scope scope;
    scope.spawn(listen(client_, json::Object{{"logGroupIdentifiers", json::Array{json::Value(arn)}}}, tail));
    // The first signal says that the session has begun: from then on nothing is missed.
    while (!tail.is_over) {
      (void)co_await tail.wake;
      from = std::max(from, co_await show_from(from) - kLookBackMilliseconds);
    }
    if (!tail.failure.empty()) throw CallFailed("", tail.failure);
    co_return from;
  }

  // Of the group; empty: there is no such group yet.
  Task<std::string> find_arn() {
    const json::Value page = co_await ask("DescribeLogGroups", json::Object{{"logGroupNamePrefix", group_}});
    if (const json::Value* groups = page.find("logGroups")) {
      for (const json::Value& group : groups->array()) {
        if (group.find("logGroupName")->string() == group_) co_return group.find("logGroupArn")->string();
      }
    }
    co_return "";
  }

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
    if (is_of_versions(event.find("logStreamName")->string(), versions_) && seen_.insert(id).second) {
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
    const json::Value configuration =
        co_await client_.get("lambda", cat("/2015-03-31/functions/", encode_path_part(options_.function), "/configuration"));
    co_await find_versions(configuration);
    const json::Value* logging = configuration.find("LoggingConfig");
    const json::Value* group = logging ? logging->find("LogGroup") : nullptr;
    co_return group ? group->string() : "/aws/lambda/" + options_.function;
  }

  // Of a function that is named with a qualifier its own lines alone are shown: those of the version, or of all that an
  // alias leads to.
  Task<void> find_versions(const json::Value& configuration) {
    const auto arn = wire::parse_arn(configuration.find("FunctionArn")->string());
    const size_t colon = arn ? arn->resource.rfind(':') : 0;
    if (!arn || colon == arn->resource.find(':')) co_return;  // function:NAME
    const std::string qualifier(arn->resource.substr(colon + 1));
    if (configuration.find("Version")->string() == qualifier) {
      versions_.push_back(qualifier);
      co_return;
    }
    const std::string name = encode_path_part(configuration.find("FunctionName")->string());
    const json::Value alias = co_await client_.get(
        "lambda", cat("/2015-03-31/functions/", name, "/aliases/", encode_path_part(qualifier)));
    versions_.push_back(alias.find("FunctionVersion")->string());
    const json::Value* routes = alias.find("RoutingConfig");
    const json::Value* weights = routes ? routes->find("AdditionalVersionWeights") : nullptr;
    if (!weights || !weights->is_object()) co_return;
    for (const auto& [additional, weight] : weights->object()) versions_.push_back(additional);
  }

  // A group is made by the first line; until then there is nothing to see.
  Task<json::Value> ask(std::string_view operation, const json::Object& request) {
    try {
      co_return co_await client_.call("logs", "1.1", cat("Logs_20140328.", operation), request);
    } catch (const CallFailed& error) {
      if (error.code != "ResourceNotFoundException") throw;
      if (!options_.follow) {
        throw CallFailed(error.code, cat("there is no log group ", group_, ": nothing has been printed yet"));
      }
    }
    co_return json::Object{};
  }

  const LogsOptions& options_;
  base::RealClock clock_;
  ApiClient client_;
  std::string group_;
  std::vector<std::string> versions_;  // empty: all
  std::set<std::string> seen_;
  std::deque<std::string> order_;
};

}  // namespace

// "2026/11/22/[3]0f…", or in a group that several write to "2026/11/22/name[3]0f…".
bool is_of_versions(std::string_view stream, const std::vector<std::string>& versions) {
  return versions.empty() || std::ranges::any_of(versions, [&](const std::string& version) {
           return stream.contains(cat("[", version, "]"));
         });
}

int show_logs(const LogsOptions& options) {
  return run_client([&](net::Loop& loop) -> Task<int> {
    Viewer viewer(loop, options);
    co_await viewer.run();
    co_return 0;
  });
}

}  // namespace tidemill
