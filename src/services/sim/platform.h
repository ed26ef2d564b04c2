// For tests: the whole platform on one simulated executor, asked as clients ask it. Tables, streams and mappings are the
// real ones; only functions are coroutines of the test.
//
//   Platform platform;
//   platform.ask("dynamodb", "CreateTable", R"({"TableName":"items", …})");
//   platform.run({.service = "lambda", .operation = "GetEventSourceMapping", .labels = {{"UUID", uuid}}});
//
// A refusal reads "ResourceNotFoundException: The resource you requested does not exist."
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/sim_executor.h"
#include "engine/mappings.h"
#include "engine/timer_service.h"
#include "services/dynamodb/service.h"
#include "services/dynamodb/stream_source.h"
#include "services/lambda/event_source_mappings.h"
#include "store/sim_store.h"
#include "wire/registry.h"

namespace tidemill::sim {

// Functions that are coroutines of the test. Without one, every call succeeds.
class Functions final : public engine::Invoker {
 public:
  using Handler = std::function<Task<engine::InvokeOutcome>(std::string function_arn, std::string payload)>;

  Task<engine::InvokeOutcome> invoke(std::string_view function_arn, std::string payload) override {
    if (!handler) co_return engine::InvokeOutcome{};
    const Handler running = handler;
    co_return co_await running(std::string(function_arn), std::move(payload));
  }

  Handler handler;
};

class Platform {
 public:
  static constexpr std::string_view kAccount = "000000000000";
  static constexpr std::string_view kRegion = "us-east-1";

  explicit Platform(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : clock(base::Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 14)), base::VirtualClock::Mode::manual),
        executor(seed, clock.activity()),
        faults_(faults) {
    boot();
  }
  ~Platform() {
    const auto hold = clock.activity().hold();
    stop();
    executor.drop_all();
    store.reset();
  }

  // Kills the process and starts it again on what is durable.
  void crash() {
    {
      const auto hold = clock.activity().hold();  // nothing due may run between the pieces
      mappings.reset();
      tasks.clear();
      store->crash();
      stop();
      store.reset();
      executor.drop_all();
    }
    boot();
  }

  // A request under way. The answer, or the error, is there once it is done.
  struct Request {
    std::string service;
    std::string operation;
    std::string body;
    std::vector<std::pair<std::string, std::string>> labels;
    std::vector<std::pair<std::string, std::string>> query;
    std::string region{kRegion};
    bool done = false;
    std::string answer;
    bool refused = false;
  };

  Task<void> carry_out(std::shared_ptr<Request> request) {
    wire::Context context(*platform, std::string(kAccount), request->region, "request-" + std::to_string(++requests_),
                          "tester");
    context.endpoint = "http://127.0.0.1:4566";
    wire::WireResponse response;
    try {
      const auto* operation = registry->find(request->service, request->operation);
      if (!operation) throw wire::Error("UnknownOperationException", 400, request->operation);
      co_await operation->on_wire(
          context, wire::WireRequest{.body = request->body, .labels = request->labels, .query = request->query}, response);
      request->answer = std::move(response.body);
    } catch (const wire::Error& error) {
      request->answer = error.code + ": " + error.message;
      request->refused = true;
    } catch (const store::Overloaded& error) {
      request->answer = std::string("Overloaded: ") + error.what();
      request->refused = true;
    }
    request->done = true;
  }

  std::shared_ptr<Request> start(Request request) {
    auto shared = std::make_shared<Request>(std::move(request));
    const base::Executor::Enter enter(executor);
    tasks.spawn(carry_out(shared));
    return shared;
  }

  std::string run(Request request) {
    const auto shared = start(std::move(request));
    while (!shared->done && executor.run_one()) {
    }
    EXPECT_TRUE(shared->done) << shared->operation << " waits for nothing";
    return shared->answer;
  }
  std::string run(std::string service, std::string operation, std::string body) {
    return run(Request{.service = std::move(service), .operation = std::move(operation), .body = std::move(body)});
  }

  // The answer as a document.
  json::Value ask(Request request) {
    const std::string answer = run(std::move(request));
    auto document = json::parse(answer);
    EXPECT_TRUE(document) << answer;
    return document ? *std::move(document) : json::Value();
  }
  json::Value ask(std::string service, std::string operation, std::string body) {
    return ask(Request{.service = std::move(service), .operation = std::move(operation), .body = std::move(body)});
  }

  template <class T>
  T await(Task<T> task) {
    std::optional<T> result;
    const auto keep = [](Task<T> inner, std::optional<T>& out) -> Task<void> { out.emplace(co_await inner); };
    const base::Executor::Enter enter(executor);
    tasks.spawn(keep(std::move(task), result));
    while (!result && executor.run_one()) {
    }
    return std::move(result).value();
  }

  void settle() { executor.run_until_idle(); }

  void advance(base::Duration by) {
    settle();
    bool done = false;
    clock.advance_to(clock.now() + by, [&] { done = true; });
    settle();
    EXPECT_TRUE(done) << "the platform did not fall quiet";
  }

  // A table with partition key id of type S and a stream of both images; its stream's ARN.
  std::string create_table(std::string_view name) {
    const json::Value created = ask(
        "dynamodb", "CreateTable",
        R"({"TableName":")" + std::string(name) +
            R"(","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],)"
            R"("KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],)"
            R"("StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}})");
    settle();
    return created.find("TableDescription")->find("LatestStreamArn")->string();
  }

  base::VirtualClock clock;
  base::SimExecutor executor;
  base::Metrics metrics;
  Functions functions;
  std::set<std::string> function_names{"f", "g"};
  uint64_t last_uuid = 0;

  store::SimDisk disk;
  std::unique_ptr<store::SimStore> store;
  std::unique_ptr<dynamodb::Service> dynamodb;
  std::unique_ptr<dynamodb::DynamodbStreamSource> table_streams;
  std::unique_ptr<lambda::EventSourceMappings> event_source_mappings;
  std::unique_ptr<wire::Registry> registry;
  std::unique_ptr<wire::Platform> platform;
  std::unique_ptr<engine::TimerService> timers;
  std::unique_ptr<engine::Mappings> mappings;
  base::Scope tasks;

 private:
  void boot() {
    const base::Executor::Enter enter(executor);
    store = store::make_sim_store(disk, executor, clock, faults_);
    dynamodb = std::make_unique<dynamodb::Service>(*store, clock);
    table_streams = std::make_unique<dynamodb::DynamodbStreamSource>(*store, clock);
    const auto exists = [this](const lambda::FunctionAddress& address) {
      return Task<bool>::ready(function_names.contains(address.name));
    };
    // UUIDs in the order of creation: random ones would change the order of things from run to run.
    const auto new_uuid = [this] {
      std::string number = std::to_string(++last_uuid);
      return "00000000-0000-4000-8000-" + std::string(12 - number.size(), '0') + number;
    };
    event_source_mappings = std::make_unique<lambda::EventSourceMappings>(
        exists, new_uuid, std::vector<engine::StreamSource*>{table_streams.get()});
    registry = std::make_unique<wire::Registry>();
    dynamodb->register_operations(*registry);
    event_source_mappings->register_operations(*registry);
    platform = std::make_unique<wire::Platform>(wire::Platform{*store, clock, metrics, *registry});
    timers = std::make_unique<engine::TimerService>(*store, clock);
    dynamodb->register_timers(*timers);
    mappings = std::make_unique<engine::Mappings>(
        executor, *store, clock, metrics, std::vector<engine::StreamSource*>{table_streams.get()}, functions);
    timers->start();
    mappings->start();
  }

  void stop() {
    const base::Executor::Enter enter(executor);
    mappings.reset();
    tasks.clear();
    timers.reset();
    platform.reset();
    registry.reset();
    event_source_mappings.reset();
    table_streams.reset();
    dynamodb.reset();
  }

  store::SimFaults faults_;
  int requests_ = 0;
};

}  // namespace tidemill::sim
