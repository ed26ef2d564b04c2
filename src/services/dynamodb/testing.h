// For tests: the whole service over the simulated store, asked as clients ask it, one line per request:
//
//   World world;
//   world.run("CreateTable", R"({"TableName":"Tab", …})");
//   EXPECT_EQ(world.run("GetItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}}})"), R"({"Item":{"k":{"S":"a"}}})");
//
// A refusal reads "ValidationException: One or more …".
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/sim_executor.h"
#include "engine/timer_service.h"
#include "services/dynamodb/service.h"
#include "store/sim_store.h"
#include "wire/registry.h"

namespace tidemill::dynamodb::testing {

class World {
 public:
  static constexpr std::string_view kAccount = "000000000000";
  static constexpr std::string_view kRegion = "us-east-1";

  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none(), ServiceOptions options = {})
      : clock(base::Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 14)), base::VirtualClock::Mode::manual),
        executor(seed, clock.activity()),
        faults_(faults),
        options_(options) {
    boot();
  }
  ~World() {
    const auto hold = clock.activity().hold();
    stop();
    executor.drop_all();
    store.reset();
  }

  // Kills the process and starts it again on what is durable.
  void crash() {
    {
      const auto hold = clock.activity().hold();
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
    std::string operation;
    std::string body;
    bool done = false;
    std::string answer;
  };

  std::shared_ptr<Request> start(std::string_view operation, std::string_view body) {
    return start(operation, body, tasks);
  }

  // The same by a client that leaves when leave(client) is called.
  std::shared_ptr<Request> start(std::string_view operation, std::string_view body, base::Scope& client) {
    auto request = std::make_shared<Request>(Request{std::string(operation), std::string(body)});
    const base::Executor::Enter enter(executor);
    client.spawn(carry_out(request));
    return request;
  }

  void leave(base::Scope& client) {
    const base::Executor::Enter enter(executor);
    client.clear();
  }

  void settle() { executor.run_until_idle(); }

  std::string run(std::string_view operation, std::string_view body) {
    const auto request = start(operation, body);
    while (!request->done && executor.run_one()) {
    }
    EXPECT_TRUE(request->done) << operation << " waits for nothing";
    return request->answer;
  }

  // The answer as a document.
  json::Value ask(std::string_view operation, std::string_view body) {
    const std::string answer = run(operation, body);
    auto document = json::parse(answer);
    EXPECT_TRUE(document) << answer;
    return document ? *std::move(document) : json::Value();
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

  void advance(base::Duration by) {
    settle();
    bool done = false;
    clock.advance_to(clock.now() + by, [&] { done = true; });
    settle();
    EXPECT_TRUE(done) << "the platform did not fall quiet";
  }

  // A table with partition key k of type S, and sort key s of `sort_type` unless that is empty.
  void create_table(std::string_view name, std::string_view sort_type = "", std::string_view stream = "") {
    std::string body = R"({"TableName":")" + std::string(name) +
                       R"(","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"})";
    if (!sort_type.empty()) body += R"(,{"AttributeName":"s","AttributeType":")" + std::string(sort_type) + R"("})";
    body += R"(],"KeySchema":[{"AttributeName":"k","KeyType":"HASH"})";
    if (!sort_type.empty()) body += R"(,{"AttributeName":"s","KeyType":"RANGE"})";
    body += "]";
    if (!stream.empty()) {
      body += R"(,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":")" + std::string(stream) + R"("})";
    }
    EXPECT_THAT(run("CreateTable", body + "}"), ::testing::HasSubstr("CREATING"));
  }

  // Puts an item into table Tab: {"k":{"S":"a"}}.
  std::string put(std::string_view item) {
    return run("PutItem", R"({"TableName":"Tab","Item":)" + std::string(item) + "}");
  }

  base::VirtualClock clock;
  base::SimExecutor executor;
  base::Metrics metrics;
  store::SimDisk disk;
  std::unique_ptr<store::SimStore> store;
  std::unique_ptr<Service> service;
  std::unique_ptr<wire::Registry> registry;
  std::unique_ptr<wire::Platform> platform;
  std::unique_ptr<engine::TimerService> timers;
  base::Scope tasks;

 private:
  void boot() {
    const base::Executor::Enter enter(executor);
    store = store::make_sim_store(disk, executor, clock, faults_);
    service = std::make_unique<Service>(*store, clock, options_);
    registry = std::make_unique<wire::Registry>();
    service->register_operations(*registry);
    platform = std::make_unique<wire::Platform>(wire::Platform{*store, clock, metrics, *registry});
    timers = std::make_unique<engine::TimerService>(*store, clock);
    service->register_timers(*timers);
    timers->start();
  }

  void stop() {
    const base::Executor::Enter enter(executor);
    tasks.clear();
    timers.reset();
    platform.reset();
    registry.reset();
    service.reset();
  }

  template <class T>
  static Task<void> keep(Task<T> task, std::optional<T>& result) {
    result.emplace(co_await task);
  }

  Task<void> carry_out(std::shared_ptr<Request> request) {
    wire::Context context(*platform, std::string(kAccount), std::string(kRegion),
                          "request-" + std::to_string(++requests_), "tester");
    context.endpoint = "http://127.0.0.1:4566";
    wire::WireResponse response;
    try {
      const auto* operation = registry->find("dynamodb", request->operation);
      if (!operation) operation = registry->find("dynamodbstreams", request->operation);
      if (!operation) throw wire::Error("UnknownOperationException", 400, request->operation);
      co_await operation->on_wire(context, wire::WireRequest{.body = request->body}, response);
      request->answer = std::move(response.body);
    } catch (const wire::Error& error) {
      request->answer = error.code + ": " + error.message;
      if (!error.more_members.empty()) request->answer += " {" + error.more_members + "}";
    } catch (const store::Overloaded& error) {
      request->answer = std::string("Overloaded: ") + error.what();
    }
    request->done = true;
  }

  store::SimFaults faults_;
  ServiceOptions options_;
  int requests_ = 0;
};

}  // namespace tidemill::dynamodb::testing
