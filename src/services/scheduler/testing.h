// For tests: schedules over the simulated store, with queues to deliver to and functions that the test plays:
//
//   World world;
//   world.create_queue("q");
//   world.create("s", "at(2026-03-14T01:00:00)", World::queue("q", "hello"));
//   world.advance(1h);
//   EXPECT_EQ(world.bodies("q"), std::vector<std::string>{"hello"});
//
// The clock begins on 2026-03-14 at midnight.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/deliveries.h"
#include "engine/targets/senders.h"
#include "services/scheduler/operations.h"
#include "services/scheduler/service.h"
#include "services/sqs/service.h"
#include "services/test_world.h"
#include "wire/shapes/lambda.h"
#include "store/failing_store.h"
#include "wire/shapes/sqs.h"
#include "wire/shapes/states.h"

namespace tidemill::scheduler::testing {

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : TestWorld({"scheduler"}, seed, faults) {
    boot();
  }
  ~World() { shut_down(); }

  using Create = shapes::CreateScheduleInput;

  static std::string queue_arn(std::string_view name) {
    return base::cat("arn:aws:sqs:", kRegion, ":", kAccount, ":", name);
  }
  static constexpr std::string_view kMachine = "arn:aws:states:us-east-1:000000000000:stateMachine:m";
  static constexpr std::string_view kFunction = "arn:aws:lambda:us-east-1:000000000000:function:f";

  static shapes::Target target(std::string_view arn, std::optional<std::string> input = std::nullopt) {
    shapes::Target result{.arn = std::string(arn), .role_arn = "arn:aws:iam::000000000000:role/r"};
    result.input = std::move(input);
    return result;
  }
  static shapes::Target queue(std::string_view name, std::optional<std::string> input = std::nullopt) {
    return target(queue_arn(name), std::move(input));
  }

  static Create request(std::string_view name, std::string_view expression, shapes::Target to) {
    Create result{.name = std::string(name), .schedule_expression = std::string(expression), .target = std::move(to)};
    result.flexible_time_window.mode = "OFF";
    return result;
  }
  std::string create(std::string_view name, std::string_view expression, shapes::Target to) {
    return ask<shapes::ops::CreateSchedule>(request(name, expression, std::move(to))).schedule_arn.value_or("");
  }

  // The answer; an error is thrown.
  template <class Op>
  typename Op::Response ask(typename Op::Request request) {
    wire::Context caller = context();
    return await(registry->call<Op>(caller, request));
  }
  // "ValidationException: …", or "" if it is not refused.
  template <class Op>
  std::string refusal(typename Op::Request request) {
    wire::Context caller = context();
    return await(refusal_of<Op>(*registry, caller, request));
  }

  void create_queue(std::string_view name) {
    wire::sqs::CreateQueueInput request{.queue_name = std::string(name)};
    (void)ask<wire::sqs::ops::CreateQueue>(std::move(request));
  }
  // Takes all messages that a queue has.
  std::vector<wire::sqs::Message> messages(std::string_view queue) {
    std::vector<wire::sqs::Message> all;
    for (;;) {
      wire::sqs::ReceiveMessageInput receive{.queue_url = std::string(queue)};
      receive.max_number_of_messages = 10;
      receive.message_attribute_names = {{"All"}};
      auto some = ask<wire::sqs::ops::ReceiveMessage>(receive).messages.value_or(std::vector<wire::sqs::Message>{});
      if (some.empty()) return all;
      for (auto& message : some) {
        wire::sqs::DeleteMessageInput erase{.queue_url = std::string(queue),
                                            .receipt_handle = message.receipt_handle.value_or("")};
        (void)ask<wire::sqs::ops::DeleteMessage>(erase);
        all.push_back(std::move(message));
      }
    }
  }
  std::vector<std::string> bodies(std::string_view queue) {
    std::vector<std::string> texts;
    for (const auto& message : messages(queue)) texts.push_back(message.body.value_or(""));
    return texts;
  }

  // Nobody is there for a while.
  void down_for(base::Duration time) {
    settle();
    shut_down();
    clock.advance_to(clock.now() + time, [] {});
    boot();
    settle();
  }

  // What functions are given and answer: empty, or an error's code.
  std::vector<std::string> invoked;
  std::string acted_for;  // what the last of them was told as aws:SourceArn
  std::function<std::string()> answer_with = [] { return std::string(); };
  base::Duration runs_for{0};  // before that

  // Executions that were begun, "name input", and what each begin answers: empty, or an error's code.
  std::vector<std::string> started;
  std::function<std::string()> machine_answers = [] { return std::string(); };

  store::Troubles troubles;  // of the schedules' store alone

  std::unique_ptr<Service> service;
  std::unique_ptr<sqs::Service> queues;
  std::unique_ptr<engine::Deliveries> deliveries;

 private:
  wire::Context context() { return {*platform, std::string(kAccount), std::string(kRegion), "request", "tester"}; }

  template <class Op>
  static Task<std::string> refusal_of(wire::Registry& all, wire::Context& caller, typename Op::Request request) {
    try {
      (void)co_await all.call<Op>(caller, request);
    } catch (const wire::Error& error) {
      co_return error.code + ": " + error.message;
    }
    co_return "";
  }

  void make_services() override {
    queues = std::make_unique<sqs::Service>(*store, clock);
    queues->register_operations(*registry);
    queues->register_timers(*timers);
    deliveries = std::make_unique<engine::Deliveries>(*store, clock, *timers);
    using Invoke = wire::lambda::ops::Invoke;
    registry->add<Invoke>([this](wire::Context& caller, const Invoke::Request& request) -> Task<Invoke::Response> {
      invoked.push_back(request.payload.value_or(""));
      acted_for = caller.principal.standing()->source_arn;
      if (runs_for.count() > 0) co_await clock.sleep_until(clock.now() + runs_for);
      if (const std::string code = answer_with(); !code.empty()) throw wire::Error(code, 500, "out of order");
      co_return Invoke::Response{};
    });
    using Start = wire::states::ops::StartExecution;
    registry->add<Start>([this](wire::Context& caller, const Start::Request& request) -> Task<Start::Response> {
      started.push_back(base::cat(request.name.value_or(""), " ", request.input.value_or("")));
      if (const std::string code = machine_answers(); !code.empty()) throw wire::Error(code, 400, "no");
      co_return Start::Response{.execution_arn = "arn:e", .start_date = caller.now()};
    });
    store = std::make_unique<store::FailingStore>(std::move(store), troubles);
    schedules_ = std::make_unique<wire::Platform>(wire::Platform{*store, clock, metrics, *registry, &gathered});
    service = std::make_unique<Service>(*schedules_);
    service->register_operations(*registry);
    service->register_timers(*timers, *deliveries);
    engine::add_senders(*deliveries, *platform, {});
  }
  void drop_services() override {
    service.reset();
    schedules_.reset();
    deliveries.reset();
    queues.reset();
  }

  std::unique_ptr<wire::Platform> schedules_;
};

}  // namespace tidemill::scheduler::testing
