// For tests: services over the simulated store and a clock that the test turns, asked as clients ask them. Each
// service's testing.h makes its World of it:
//
//   class World : public services::testing::TestWorld {
//    public:
//     explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
//         : TestWorld({"sqs"}, seed, faults) { boot(); }
//     ~World() { shut_down(); }
//     std::unique_ptr<Service> service;
//
//    private:
//     void make_services() override;  // with *store, clock, *registry, *timers
//     void drop_services() override { service.reset(); }
//   };
//
// A refusal reads "ValidationException: One or more …", and then its further members in braces.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/sim_executor.h"
#include "base/text.h"
#include "engine/timer_service.h"
#include "store/sim_store.h"
#include "wire/metrics/platform_metrics.h"
#include "wire/registry.h"

namespace tidemill::services::testing {

// A request, under way or done.
struct Request {
  std::string service;  // empty: the world's own
  std::string operation;
  std::string body;
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string region;   // empty: kRegion
  bool done = false;
  std::string answer;   // or the refusal
  bool refused = false;
};

class TestWorld {
 public:
  static constexpr std::string_view kAccount = "000000000000";
  static constexpr std::string_view kRegion = "us-east-1";
  static constexpr std::string_view kEndpoint = "http://127.0.0.1:4566";
  static constexpr std::string_view kEveryErrorHas = "\"Type\":\"User\"";  // in Lambda; not shown

  using Request = testing::Request;
  using RequestPtr = std::shared_ptr<Request>;

  TestWorld(const TestWorld&) = delete;

  // Kills the process and starts it again on what is durable.
  void crash() {
    {
      const auto hold = clock.activity().hold();  // nothing due may run between the pieces
      const base::Executor::Enter enter(executor);
      tasks.clear();
      store->crash();
      stop();
      store.reset();
      executor.drop_all();
    }
    boot();
  }

  RequestPtr start(Request request) { return start(std::move(request), tasks); }
  // The same by a client that leaves when leave(client) is called.
  RequestPtr start(Request request, base::Scope& client) {
    auto shared = std::make_shared<Request>(std::move(request));
    const base::Executor::Enter enter(executor);
    client.spawn(carry_out(shared));
    return shared;
  }
  RequestPtr start(std::string_view operation, std::string_view body) { return start(operation, body, tasks); }
  RequestPtr start(std::string_view operation, std::string_view body, base::Scope& client) {
    return start(Request{.operation = std::string(operation), .body = std::string(body)}, client);
  }

  // For a client that is a coroutine itself; returns once the request is done.
  Task<void> carry_out(RequestPtr request) {
    wire::Context context(*platform, std::string(kAccount),
                          request->region.empty() ? std::string(kRegion) : request->region,
                          "request-" + std::to_string(++requests_), "tester");
    context.endpoint = kEndpoint;
    wire::WireResponse response;
    try {
      const auto* operation = find(*request);
      if (!operation) throw wire::Error("UnknownOperationException", 400, request->operation);
      co_await operation->on_wire(context,
                                  wire::WireRequest{.body = request->body,
                                                    .labels = request->labels,
                                                    .query = request->query,
                                                    .headers = request->headers},
                                  response);
      request->answer = response.body.empty() ? "{}" : std::move(response.body);
    } catch (const wire::Error& error) {
      request->answer = error.code + ": " + error.message;
      if (!error.more_members.empty() && error.more_members != kEveryErrorHas) {
        request->answer += " {" + error.more_members + "}";
      }
      request->refused = true;
    } catch (const store::Overloaded& error) {
      request->answer = std::string("Overloaded: ") + error.what();
      request->refused = true;
    }
    request->done = true;
  }

  void leave(base::Scope& client) {
    const base::Executor::Enter enter(executor);
    client.clear();
  }

  // The answer or the refusal.
  std::string run(Request request) {
    const auto shared = start(std::move(request));
    while (!shared->done && executor.run_one()) {
    }
    EXPECT_TRUE(shared->done) << shared->operation << " waits for nothing";
    return shared->answer;
  }
  std::string run(std::string_view operation, std::string_view body) {
    return run(Request{.operation = std::string(operation), .body = std::string(body)});
  }
  std::string run(std::string_view service, std::string_view operation, std::string_view body) {
    return run(Request{
        .service = std::string(service), .operation = std::string(operation), .body = std::string(body)});
  }

  // The answer as a document.
  json::Value ask(Request request) { return parse(run(std::move(request))); }
  json::Value ask(std::string_view operation, std::string_view body) { return parse(run(operation, body)); }
  json::Value ask(std::string_view service, std::string_view operation, std::string_view body) {
    return parse(run(service, operation, body));
  }

  template <class T>
  T await(Task<T> task) {
    std::optional<T> result;
    const base::Executor::Enter enter(executor);
    tasks.spawn(keep(std::move(task), result));
    while (!result && executor.run_one()) {
    }
    return std::move(result).value();
  }

  // What was gathered of a metric, and what the gauges show of it now: "sum of count"; empty: nothing. Forgets all that was
  // gathered.
  std::map<std::string, std::string> measured(std::string_view name_space) {
    auto all = gathered.take();
    auto gauges = await(gathered.measure_gauges(std::chrono::floor<std::chrono::minutes>(clock.now())));
    for (auto& one : gauges.found) all.push_back(std::move(one));
    std::map<std::string, base::Distribution> sums;
    for (const auto& one : all) {
      if (one.metric->name_space != name_space) continue;
      const std::string second = one.resource2.empty() ? "" : "/" + one.resource2;
      sums[base::cat(one.metric->name, " ", one.resource, second)].merge(one.values);
    }
    std::map<std::string, std::string> result;
    for (const auto& [name, values] : sums) {
      char text[64];
      const int size = std::snprintf(text, sizeof(text), "%.15g of %.15g", values.sum(), values.count());
      result[name] = {text, static_cast<size_t>(size)};
    }
    return result;
  }

  void settle() { executor.run_until_idle(); }

  void advance(base::Duration by) {
    settle();
    bool done = false;
    clock.advance_to(clock.now() + by, [&] { done = true; });
    settle();
    EXPECT_TRUE(done) << "the platform did not fall quiet";
  }

  static json::Value parse(const std::string& answer) {
    auto document = json::parse(answer);
    EXPECT_TRUE(document) << answer;
    return document ? *std::move(document) : json::Value();
  }

  base::VirtualClock clock;
  base::SimExecutor executor;
  base::Metrics metrics;
  wire::PlatformMetrics gathered{clock};
  store::SimDisk disk;
  std::unique_ptr<store::SimStore> store;
  std::unique_ptr<wire::Registry> registry;
  std::unique_ptr<wire::Platform> platform;
  std::unique_ptr<engine::TimerService> timers;
  base::Scope tasks;

 protected:
  // `own_services`: whose operations a request without a service means, tried in turn.
  explicit TestWorld(std::vector<std::string> own_services, uint64_t seed, store::SimFaults faults)
      : clock(base::Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 14)), base::VirtualClock::Mode::manual),
        executor(seed, clock.activity()),
        own_services_(std::move(own_services)),
        faults_(faults) {}
  ~TestWorld() = default;

  // Makes the services and registers their operations and timers; the timer service starts afterwards.
  virtual void make_services() = 0;
  // What moves by itself beside the timers: mappings, say.
  virtual void start_services() {}
  virtual void drop_services() = 0;

  // By the constructor and the destructor of each world.
  void boot() {
    const base::Executor::Enter enter(executor);
    store = store::make_sim_store(disk, executor, clock, faults_);
    registry = std::make_unique<wire::Registry>();
    platform = std::make_unique<wire::Platform>(wire::Platform{*store, clock, metrics, *registry, &gathered});
    timers = std::make_unique<engine::TimerService>(*store, clock);
    (void)gathered.take();  // was in memory only
    make_services();
    timers->start();
    start_services();
  }
  void shut_down() {
    const auto hold = clock.activity().hold();
    stop();
    executor.drop_all();
    store.reset();
  }

 private:
  void stop() {
    const base::Executor::Enter enter(executor);
    tasks.clear();
    timers.reset();
    drop_services();
    platform.reset();
    registry.reset();
  }

  [[nodiscard]] const wire::Registry::Operation* find(const Request& request) const {
    if (!request.service.empty()) return registry->find(request.service, request.operation);
    for (const std::string& service : own_services_) {
      if (const auto* operation = registry->find(service, request.operation)) return operation;
    }
    return nullptr;
  }

  template <class T>
  static Task<void> keep(Task<T> task, std::optional<T>& result) {
    result.emplace(co_await task);
  }

  std::vector<std::string> own_services_;
  store::SimFaults faults_;
  int requests_ = 0;
};

}  // namespace tidemill::services::testing
