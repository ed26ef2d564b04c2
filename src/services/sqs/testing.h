// For tests: the whole service over the simulated store, asked as clients ask it, one line per request:
//
//   World world;
//   world.create_queue("q");
//   world.send("q", R"("MessageBody":"hello")");
//   EXPECT_EQ(world.receive("q").size(), 1u);
//
// A refusal reads "QueueDoesNotExist: The specified queue does not exist."
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/sim_executor.h"
#include "base/text.h"
#include "engine/timer_service.h"
#include "services/sqs/service.h"
#include "store/sim_store.h"
#include "wire/registry.h"

namespace tidemill::sqs::testing {

struct Received {
  std::string body;
  std::string handle;
  json::Value message;

  // Of the message's system attributes; empty: not there.
  [[nodiscard]] std::string attribute(std::string_view name) const {
    const json::Value* attributes = message.find("Attributes");
    const json::Value* found = attributes ? attributes->find(name) : nullptr;
    return found ? found->string() : "";
  }
};

class World {
 public:
  static constexpr std::string_view kAccount = "000000000000";
  static constexpr std::string_view kRegion = "us-east-1";

  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : clock(base::Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 14)), base::VirtualClock::Mode::manual),
        executor(seed, clock.activity()),
        faults_(faults) {
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
      const base::Executor::Enter enter(executor);
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
  using RequestPtr = std::shared_ptr<Request>;

  RequestPtr start(std::string_view operation, std::string_view body) { return start(operation, body, tasks); }

  // The same by a client that leaves when leave(client) is called.
  RequestPtr start(std::string_view operation, std::string_view body, base::Scope& client) {
    auto request = std::make_shared<Request>(Request{std::string(operation), std::string(body)});
    const base::Executor::Enter enter(executor);
    client.spawn(carry_out(request));
    return request;
  }

  void leave(base::Scope& client) {
    const base::Executor::Enter enter(executor);
    client.clear();
  }

  std::string run(std::string_view operation, std::string_view body) {
    const auto request = start(operation, body);
    while (!request->done && executor.run_one()) {
    }
    EXPECT_TRUE(request->done) << operation << " waits for nothing";
    return request->answer;
  }

  json::Value ask(std::string_view operation, std::string_view body) { return parse(run(operation, body)); }

  void settle() { executor.run_until_idle(); }

  void advance(base::Duration by) {
    settle();
    bool done = false;
    clock.advance_to(clock.now() + by, [&] { done = true; });
    settle();
    EXPECT_TRUE(done) << "the platform did not fall quiet";
  }

  // `more`: further members of a request, "\"DelaySeconds\":1".
  static std::string of_queue(std::string_view queue, std::string_view more = "") {
    return base::cat(R"({"QueueUrl":"http://127.0.0.1:4566/)", kAccount, "/", queue, "\"", more.empty() ? "" : ",",
                     more, "}");
  }
  static std::string arn(std::string_view queue) {
    return base::cat("arn:aws:sqs:", kRegion, ":", kAccount, ":", queue);
  }

  void create_queue(std::string_view name, std::string attributes = "") {
    if (name.ends_with(".fifo")) attributes += base::cat(attributes.empty() ? "" : ",", R"("FifoQueue":"true")");
    EXPECT_THAT(run("CreateQueue", base::cat(R"({"QueueName":")", name, R"(","Attributes":{)", attributes, "}}")),
                ::testing::HasSubstr("QueueUrl"));
  }
  // A queue that gives its messages up to `target` after `receives`.
  void create_queue_with_target(std::string_view name, std::string_view target, int receives) {
    create_queue(name, base::cat(R"("RedrivePolicy":"{\"deadLetterTargetArn\":\")", arn(target),
                                 R"(\",\"maxReceiveCount\":)", receives, "}\""));
  }
  json::Value send(std::string_view queue, std::string_view members) {
    return ask("SendMessage", of_queue(queue, members));
  }
  json::Value send_fifo(std::string_view queue, std::string_view body, std::string_view group, std::string_view id) {
    return send(queue, base::cat(R"("MessageBody":")", body, R"(","MessageGroupId":")", group,
                                 R"(","MessageDeduplicationId":")", id, "\""));
  }
  std::vector<Received> receive(std::string_view queue, std::string_view members = R"("MaxNumberOfMessages":10)") {
    return received(
        run("ReceiveMessage",
            of_queue(queue, base::cat(R"("AttributeNames":["All"],"MessageAttributeNames":["All"],)", members))));
  }
  static std::vector<Received> received(const std::string& answer) {
    std::vector<Received> result;
    const json::Value document = parse(answer);
    const json::Value* messages = document.find("Messages");
    if (!messages) return result;
    for (const json::Value& message : messages->array()) {
      result.push_back({message.find("Body")->string(), message.find("ReceiptHandle")->string(), message});
    }
    return result;
  }
  static std::vector<std::string> bodies(const std::vector<Received>& messages) {
    std::vector<std::string> result;
    for (const Received& message : messages) result.push_back(message.body);
    return result;
  }
  std::string remove(std::string_view queue, const Received& message) {
    return run("DeleteMessage", of_queue(queue, base::cat(R"("ReceiptHandle":")", message.handle, "\"")));
  }
  std::string hide(std::string_view queue, const Received& message, int seconds) {
    return run("ChangeMessageVisibility", of_queue(queue, base::cat(R"("ReceiptHandle":")", message.handle,
                                                                    R"(","VisibilityTimeout":)", seconds)));
  }
  // An attribute of the queue; empty: not there.
  std::string attribute(std::string_view queue, std::string_view name) {
    const json::Value answer =
        ask("GetQueueAttributes", of_queue(queue, base::cat(R"("AttributeNames":[")", name, "\"]")));
    const json::Value* attributes = answer.find("Attributes");
    const json::Value* found = attributes ? attributes->find(name) : nullptr;
    return found ? found->string() : "";
  }
  // "visible in-flight delayed"
  std::string counts(std::string_view queue) {
    return base::cat(attribute(queue, "ApproximateNumberOfMessages"), " ",
                     attribute(queue, "ApproximateNumberOfMessagesNotVisible"), " ",
                     attribute(queue, "ApproximateNumberOfMessagesDelayed"));
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
  static json::Value parse(const std::string& answer) {
    if (answer.empty()) return json::Object{};
    auto document = json::parse(answer);
    EXPECT_TRUE(document) << answer;
    return document ? *std::move(document) : json::Value();
  }

  void boot() {
    const base::Executor::Enter enter(executor);
    store = store::make_sim_store(disk, executor, clock, faults_);
    service = std::make_unique<Service>(*store, clock);
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

  Task<void> carry_out(RequestPtr request) {
    wire::Context context(*platform, std::string(kAccount), std::string(kRegion),
                          "request-" + std::to_string(++requests_), "tester");
    context.endpoint = "http://127.0.0.1:4566";
    wire::WireResponse response;
    try {
      const auto* operation = registry->find("sqs", request->operation);
      if (!operation) throw wire::Error("UnknownOperationException", 400, request->operation);
      co_await operation->on_wire(context, wire::WireRequest{.body = request->body}, response);
      request->answer = response.body.empty() ? "{}" : std::move(response.body);
    } catch (const wire::Error& error) {
      request->answer = error.code + ": " + error.message;
    } catch (const store::Overloaded& error) {
      request->answer = std::string("Overloaded: ") + error.what();
    }
    request->done = true;
  }

  store::SimFaults faults_;
  int requests_ = 0;
};

}  // namespace tidemill::sqs::testing
