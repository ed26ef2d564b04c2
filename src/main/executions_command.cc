#include "main/executions_command.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "base/text.h"
#include "wire/arn.h"

namespace tidemill {
namespace {

using namespace std::chrono_literals;
namespace json = base::json;
using base::cat;
using std::chrono::milliseconds;

constexpr std::string_view kUsage =
    "executions: tidemill executions [MACHINE] [--status RUNNING|SUCCEEDED|FAILED|TIMED_OUT|ABORTED] [--watch]";
constexpr std::array<std::string_view, 5> kStatuses{"RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"};
constexpr std::string_view kRunning = "RUNNING";
constexpr auto kInterval = 1s;  // between two looks of --watch

std::string text_in(const json::Value& document, std::string_view name) {
  const json::Value* value = document.find(name);
  return value && value->is_string() ? value->string() : "";
}

// Seconds since 1970 with a fraction, as JSON protocols have times.
base::Time time_in(const json::Value& document, std::string_view name) {
  const json::Value* value = document.find(name);
  const double seconds = value ? value->to_double().value_or(0) : 0;
  return base::Time(std::chrono::microseconds(std::llround(seconds * 1e6)));
}

struct Listed {
  std::string machine;
  std::string name;
  std::string status;
  base::Time begun;
  base::Time ended;  // of one that runs: 1970
};

void print(const Listed& one, base::Time now) {
  const base::Time until = one.ended == base::Time() ? std::max(now, one.begun) : one.ended;
  const std::string age = age_text(std::chrono::duration_cast<milliseconds>(until - one.begun));
  std::printf("%s  %-9s  %9s  %s  %s\n", base::iso_milliseconds(one.begun).c_str(), one.status.c_str(), age.c_str(),
              one.machine.c_str(), one.name.c_str());
}

class Lister {
 public:
  Lister(net::Loop& loop, const ExecutionsOptions& options) : options_(options), client_(loop, options.client) {}

  Task<void> run() {
    auto known = co_await find_all(options_.status);
    print_new(known, {});
    if (!options_.watch) co_return;
    for (;;) {
      std::fflush(stdout);
      co_await clock_.sleep_until(clock_.now() + kInterval);
      auto found = co_await find_all(kRunning);
      for (const auto& [arn, one] : known) {
        if (one.status == kRunning && !found.contains(arn)) co_await tell_end(arn, one);
      }
      print_new(found, known);
      known = std::move(found);
    }
  }

 private:
  using ByArn = std::map<std::string, Listed>;

  // What is not `known`, the oldest first.
  void print_new(const ByArn& found, const ByArn& known) {
    std::multimap<base::Time, const Listed*> in_order;
    for (const auto& [arn, one] : found) {
      if (!known.contains(arn)) in_order.emplace(one.begun, &one);
    }
    for (const auto& [begun, one] : in_order) print(*one, clock_.now());
  }

  Task<json::Value> ask(std::string operation, json::Object request) {
    co_return co_await client_.call("states", "1.0", "AWSStepFunctions." + operation, request);
  }

  // All elements of the pages of a list.
  Task<json::Array> all_of(std::string operation, json::Object request, std::string member) {
    json::Array all;
    for (;;) {
      json::Value page = co_await ask(operation, request);
      if (json::Value* some = page.object().find(member)) {
        for (json::Value& one : some->array()) all.push_back(std::move(one));
      }
      const std::string token = text_in(page, "nextToken");
      if (token.empty()) co_return all;
      request.set("nextToken", token);
    }
  }

  Task<ByArn> find_all(std::string_view status) {
    ByArn found;
    bool is_there = false;
    for (const json::Value& machine : co_await all_of("ListStateMachines", {}, "stateMachines")) {
      const std::string name = text_in(machine, "name");
      const std::string arn = text_in(machine, "stateMachineArn");
      if (!options_.machine.empty() && options_.machine != name && options_.machine != arn) continue;
      is_there = true;
      if (text_in(machine, "type") == "EXPRESS") continue;  // those have no lists
      json::Object request{{"stateMachineArn", arn}, {"statusFilter", status}};
      for (const json::Value& one : co_await all_of("ListExecutions", std::move(request), "executions")) {
        found[text_in(one, "executionArn")] = listed(name, one);
      }
    }
    if (!is_there && !options_.machine.empty()) {
      throw std::runtime_error(cat("there is no state machine ", options_.machine));
    }
    co_return found;
  }

  static Listed listed(std::string machine, const json::Value& one) {
    return {std::move(machine), text_in(one, "name"), text_in(one, "status"), time_in(one, "startDate"),
            time_in(one, "stopDate")};
  }

  Task<void> tell_end(std::string arn, Listed one) {
    try {
      print(listed(one.machine, co_await ask("DescribeExecution", {{"executionArn", arn}})), clock_.now());
    } catch (const CallFailed&) {
      one.status = "DELETED";  // and its machine with it
      print(one, clock_.now());
    }
  }

  const ExecutionsOptions& options_;
  base::RealClock clock_;
  ApiClient client_;
};

}  // namespace

std::string age_text(milliseconds age) {
  const double seconds = static_cast<double>(age.count()) / 1000;
  if (seconds < 60) return cat(base::fixed(seconds, 1), " s");
  if (seconds < 3600) return cat(base::fixed(seconds / 60, 1), " min");
  if (seconds < 86400) return cat(base::fixed(seconds / 3600, 1), " h");
  return cat(base::fixed(seconds / 86400, 1), " d");
}

ExecutionsOptions parse_executions_options(std::span<const std::string_view> arguments,
                                           const Environment& environment) {
  ExecutionsOptions options;
  parse_client_arguments(arguments, environment, options.client, [&](std::string_view name, const auto& value) {
    if (name == "--watch")
      options.watch = true;
    else if (name == "--status")
      options.status = value();
    else if (!name.starts_with("-") && options.machine.empty())
      options.machine = name;
    else
      return false;
    return true;
  });
  go_to_region_of(options.machine, options.client);
  const bool is_status = std::ranges::find(kStatuses, options.status) != kStatuses.end();
  if (!is_status || (options.watch && options.status != kRunning)) throw UsageError(std::string(kUsage));
  return options;
}

int list_executions(const ExecutionsOptions& options) {
  return run_client([&](net::Loop& loop) -> Task<int> {
    Lister lister(loop, options);
    co_await lister.run();
    co_return 0;
  });
}

}  // namespace tidemill
