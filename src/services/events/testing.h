// For tests: buses over the simulated store, with queues for targets:
//
//   World world;
//   world.create_queue("q");
//   world.put_rule("r", R"({"source":["shop"]})", {{"q"}});
//   world.put(R"({"n":1})");
//   world.settle();
//   EXPECT_EQ(world.details("q"), Texts{R"({"n":1})"});
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/deliveries.h"
#include "engine/targets/senders.h"
#include "services/events/operations.h"
#include "services/events/service.h"
#include "services/sqs/service.h"
#include "services/test_world.h"
#include "wire/shapes/sqs.h"

namespace tidemill::events::testing {

namespace ops = shapes::ops;

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : TestWorld({"events", "sqs"}, seed, faults) {
    boot();
  }
  ~World() { shut_down(); }

  wire::Context context(wire::Principal principal = "tester") {
    return {*platform, std::string(kAccount), std::string(kRegion), "request", std::move(principal)};
  }

  // The answer; an error is thrown.
  template <class Op>
  typename Op::Response ask(typename Op::Request request, wire::Principal principal = "tester") {
    wire::Context caller = context(std::move(principal));
    return await(registry->call<Op>(caller, request));
  }

  static std::string queue_arn(std::string_view name) {
    return base::cat("arn:aws:sqs:", kRegion, ":", kAccount, ":", name);
  }
  void create_queue(std::string_view name) { (void)run("CreateQueue", base::cat(R"({"QueueName":")", name, "\"}")); }

  // On the default bus. A target: a queue, and what else its target says.
  struct QueueTarget {
    std::string queue;
    shapes::Target more = {};
  };
  void put_rule(std::string name, std::string pattern, std::vector<QueueTarget> targets) {
    (void)ask<ops::PutRule>({.name = name, .event_pattern = std::move(pattern)});
    shapes::PutTargetsInput request{.rule = std::move(name)};
    for (QueueTarget& target : targets) {
      target.more.id = target.queue;
      target.more.arn = queue_arn(target.queue);
      request.targets.push_back(std::move(target.more));
    }
    if (!request.targets.empty()) (void)ask<ops::PutTargets>(std::move(request));
  }

  static shapes::PutEventsInput event(std::string detail, std::string source = "shop") {
    shapes::PutEventsInput request;
    request.entries.push_back({.source = std::move(source), .detail_type = "order", .detail = std::move(detail)});
    return request;
  }
  void put(std::string detail, std::string source = "shop") {
    (void)ask<ops::PutEvents>(event(std::move(detail), std::move(source)));
  }

  // All that can be received now, removed from the queue.
  std::vector<std::string> bodies(std::string_view queue) {
    std::vector<std::string> result;
    for (const json::Value& message : messages(queue)) result.push_back(message.find("Body")->string());
    return result;
  }
  std::vector<std::string> details(std::string_view queue) {
    std::vector<std::string> result;
    for (const std::string& body : bodies(queue)) result.push_back(json::write(*parse(body).find("detail")));
    return result;
  }
  std::vector<json::Value> messages(std::string_view queue) {
    std::vector<json::Value> result;
    for (;;) {
      const json::Value answer = TestWorld::ask(
          "ReceiveMessage",
          base::cat(R"({"QueueUrl":")", queue, R"(","MaxNumberOfMessages":10,"MessageAttributeNames":["All"]})"));
      const json::Value* found = answer.find("Messages");
      if (!found) return result;
      for (const json::Value& message : found->array()) {
        result.push_back(message);
        (void)run("DeleteMessage", base::cat(R"({"QueueUrl":")", queue, R"(","ReceiptHandle":")",
                                             message.find("ReceiptHandle")->string(), "\"}"));
      }
    }
  }

  // Deliveries that are under way.
  size_t deliveries_left() {
    size_t count = 0;
    const auto snapshot = store->snapshot();
    await(count_entries(*snapshot, "D", count));
    return count;
  }

  // Asked at each message that is delivered to a queue.
  std::function<bool(const wire::sqs::SendMessageInput&)> queues_fail = [](const auto&) { return false; };
  std::vector<net::HttpCall> calls;  // that were made
  std::function<int(const net::HttpCall&)> answer_with = [](const net::HttpCall&) { return 200; };
  std::unique_ptr<Service> service;
  std::unique_ptr<sqs::Service> queues;
  std::unique_ptr<engine::Deliveries> deliveries;

 private:
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
    co_return net::HttpAnswer{.status = answer_with(call)};
  }

  void make_services() override {
    queues = std::make_unique<sqs::Service>(*store, clock);
    queues->register_operations(*registry);
    queues->register_timers(*timers);
    deliveries = std::make_unique<engine::Deliveries>(*store, clock, *timers);
    // Rules reach the queues by way of this, so that they may fail.
    delivery_registry_ = std::make_unique<wire::Registry>();
    delivery_platform_ =
        std::make_unique<wire::Platform>(wire::Platform{*store, clock, metrics, *delivery_registry_, &gathered});
    using Send = wire::sqs::ops::SendMessage;
    delivery_registry_->add<Send>([this](wire::Context& caller, const Send::Request& request) {
      if (queues_fail(request)) throw wire::Error("InternalFailure", 500, "out of order");
      return registry->call<Send>(caller, request);
    });
    const engine::HttpSend http = [this](net::HttpCall call) { return answer(std::move(call)); };
    service = std::make_unique<Service>(*delivery_platform_, http);
    service->register_operations(*registry);
    service->register_timers(*timers, *deliveries);
    engine::add_senders(*deliveries, *delivery_platform_, http);
  }
  void drop_services() override {
    service.reset();
    deliveries.reset();
    queues.reset();
    delivery_platform_.reset();
    delivery_registry_.reset();
  }

  std::unique_ptr<wire::Registry> delivery_registry_;
  std::unique_ptr<wire::Platform> delivery_platform_;
};

}  // namespace tidemill::events::testing
