// For tests, also of other services: worlds (services/test_world.h) with real queues, whose messages the test takes:
//
//   class World : public QueueWorld     makes its services after make_queues()
//   class World : public DeliveryWorld  …and reaches the queues, and URLs that the test answers, by deliveries
//
//   world.create_queue("q");
//   …
//   EXPECT_EQ(world.bodies("q"), std::vector<std::string>{"hello"});
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/deliveries.h"
#include "engine/targets/senders.h"
#include "services/sqs/service.h"
#include "services/test_world.h"
#include "wire/shapes/sqs.h"

namespace tidemill::services::testing {

class QueueWorld : public TestWorld {
 public:
  static std::string queue_arn(std::string_view name) {
    return base::cat("arn:aws:sqs:", kRegion, ":", kAccount, ":", name);
  }
  // `attributes`: a JSON object.
  void create_queue(std::string_view name, std::string_view attributes = "{}") {
    (void)TestWorld::ask("CreateQueue", base::cat(R"({"QueueName":")", name, R"(","Attributes":)", attributes, "}"));
  }

  // All that can be received now, removed from the queue.
  std::vector<json::Value> messages(std::string_view queue) {
    std::vector<json::Value> result;
    for (;;) {
      const json::Value answer =
          TestWorld::ask("ReceiveMessage", base::cat(R"({"QueueUrl":")", queue, R"(","MaxNumberOfMessages":10,)",
                                                     R"("AttributeNames":["All"],"MessageAttributeNames":["All"]})"));
      const json::Value* found = answer.find("Messages");
      if (!found) return result;
      for (const json::Value& message : found->array()) {
        result.push_back(message);
        (void)run("DeleteMessage", base::cat(R"({"QueueUrl":")", queue, R"(","ReceiptHandle":")",
                                             message.find("ReceiptHandle")->string(), "\"}"));
      }
    }
  }
  std::vector<std::string> bodies(std::string_view queue) {
    std::vector<std::string> result;
    for (const json::Value& message : messages(queue)) result.push_back(message.find("Body")->string());
    return result;
  }

  std::unique_ptr<sqs::Service> queues;

 protected:
  using TestWorld::TestWorld;

  void make_queues() {
    queues = std::make_unique<sqs::Service>(*store, clock);
    queues->register_operations(*registry);
    queues->register_timers(*timers);
  }
};

class DeliveryWorld : public QueueWorld {
 public:
  wire::Context context(wire::Principal principal = "tester") {
    wire::Context result(*platform, std::string(kAccount), std::string(kRegion), "request", std::move(principal));
    result.endpoint = kEndpoint;
    return result;
  }

  // The answer; an error is thrown.
  template <class Op>
  typename Op::Response ask(typename Op::Request request, wire::Principal principal = "tester") {
    wire::Context caller = context(std::move(principal));
    return await(registry->call<Op>(caller, request));
  }
  // "InvalidParameterException: …", or "" if it is not refused.
  template <class Op>
  std::string refusal(typename Op::Request request, wire::Principal principal = "tester") {
    wire::Context caller = context(std::move(principal));
    return await(refusal_of<Op>(*registry, caller, request));
  }

  // How many entries stand in the store under keys that begin so.
  size_t entries_below(const std::string& prefix) {
    size_t count = 0;
    const auto snapshot = store->snapshot();
    await(count_entries(*snapshot, prefix, count));
    return count;
  }

  // Asked at each message that is delivered to a queue.
  std::function<bool(const wire::sqs::SendMessageInput&)> queues_fail = [](const auto&) { return false; };
  std::vector<net::HttpCall> calls;  // that were made
  std::function<int(const net::HttpCall&)> answer_with = [](const net::HttpCall&) { return 200; };
  std::function<std::string(const net::HttpCall&)> body_with = [](const net::HttpCall&) { return std::string(); };
  std::unique_ptr<engine::Deliveries> deliveries;

 protected:
  using QueueWorld::QueueWorld;

  // Queues, deliveries, and what the world's service is to stand on: `delivery_registry` has only what it may call.
  void make_deliveries() {
    make_queues();
    deliveries = std::make_unique<engine::Deliveries>(*store, clock, *timers);
    delivery_registry = std::make_unique<wire::Registry>();
    delivery_platform =
        std::make_unique<wire::Platform>(wire::Platform{*store, clock, metrics, *delivery_registry, &gathered});
    using Send = wire::sqs::ops::SendMessage;
    delivery_registry->add<Send>([this](wire::Context& caller, const Send::Request& request) {
      if (queues_fail(request)) throw wire::Error("InternalFailure", 500, "out of order");
      return registry->call<Send>(caller, request);
    });
    engine::add_senders(*deliveries, *delivery_platform, http());
  }
  void drop_deliveries() {
    deliveries.reset();
    queues.reset();
    delivery_platform.reset();
    delivery_registry.reset();
  }
  engine::HttpSend http() {
    return [this](net::HttpCall call) { return answer(std::move(call)); };
  }

  std::unique_ptr<wire::Registry> delivery_registry;
  std::unique_ptr<wire::Platform> delivery_platform;

 private:
  template <class Op>
  static Task<std::string> refusal_of(wire::Registry& registry, wire::Context& caller,
                                      const typename Op::Request& request) {
    try {
      (void)co_await registry.call<Op>(caller, request);
    } catch (const wire::Error& error) {
      co_return error.code + ": " + error.message;
    }
    co_return "";
  }

  static Task<bool> count_entries(store::Snapshot& snapshot, std::string prefix, size_t& count) {
    const store::Range range = store::Range::prefix(prefix);
    co_await snapshot.scan(range, store::Direction::forward, [&](std::string_view, std::string_view) {
      ++count;
      return true;
    });
    co_return true;
  }

  Task<net::HttpAnswer> answer(net::HttpCall call) {
    co_await base::yield();
    calls.push_back(call);
    co_return net::HttpAnswer{.status = answer_with(call), .body = body_with(call)};
  }
};

}  // namespace tidemill::services::testing
