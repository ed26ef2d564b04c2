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

#include "services/events/operations.h"
#include "services/events/service.h"
#include "services/sqs/queue_world.h"
#include "wire/shapes/states.h"

namespace tidemill::events::testing {

namespace ops = shapes::ops;

class World : public services::testing::DeliveryWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : DeliveryWorld({"events", "sqs"}, seed, faults) {
    boot();
  }
  ~World() { shut_down(); }

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

  std::vector<std::string> details(std::string_view queue) {
    std::vector<std::string> result;
    for (const std::string& body : bodies(queue)) result.push_back(json::write(*parse(body).find("detail")));
    return result;
  }
  // Who says what a rule may do. Until the next boot.
  void guard_with(wire::Authorizer& authorizer) { delivery_platform->authorizer = &authorizer; }
  // Deliveries that are under way.
  size_t deliveries_left() { return entries_below("D"); }

  // Executions that were begun, "name input", and what each begin answers: empty, or an error's code.
  std::vector<std::string> started;
  std::function<std::string()> machine_answers = [] { return std::string(); };
  std::unique_ptr<Service> service;

 private:
  void make_services() override {
    make_deliveries();
    using Start = wire::states::ops::StartExecution;
    delivery_registry->add<Start>([this](wire::Context& caller, const Start::Request& request) -> Task<Start::Response> {
      started.push_back(base::cat(request.name.value_or(""), " ", request.input.value_or("")));
      if (const std::string code = machine_answers(); !code.empty()) throw wire::Error(code, 400, "no");
      co_return Start::Response{.execution_arn = "arn:e", .start_date = caller.now()};
    });
    service = std::make_unique<Service>(*delivery_platform, http());
    service->register_operations(*registry);
    service->register_timers(*timers, *deliveries);
  }
  void drop_services() override {
    service.reset();
    drop_deliveries();
  }
};

}  // namespace tidemill::events::testing
