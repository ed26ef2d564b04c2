// For tests: state machines over the simulated store, and a world of tasks that the test plays:
//
//   World world;
//   world.create("m", R"({"StartAt": "A", "States": {"A": {"Type": "Pass", "End": true}}})");
//   const std::string arn = world.begin("m", R"({"x": 1})");
//   world.settle();
//   EXPECT_EQ(world.status(arn), "SUCCEEDED");
//   EXPECT_THAT(world.events(arn), ElementsAre("ExecutionStarted", "PassStateEntered", …));
//
// Tasks name "arn:aws:states:::test:<action>", and what `answer_with` says of a call is its outcome.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "services/states/operations.h"
#include "services/states/service.h"
#include "services/test_world.h"
#include "store/failing_store.h"

namespace tidemill::states::testing {

// A definition of these states, beginning with A.
inline std::string machine(std::string_view states) {
  return base::cat(R"({"StartAt":"A","States":{)", states, "}}");
}

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : TestWorld({"states"}, seed, faults) {
    boot();
  }
  ~World() { shut_down(); }

  static constexpr std::string_view kRole = "arn:aws:iam::000000000000:role/r";
  static std::string machine_arn(std::string_view name) {
    return base::cat("arn:aws:states:", kRegion, ":", kAccount, ":stateMachine:", name);
  }

  std::string create(std::string_view name, std::string_view definition, std::string_view type = "STANDARD") {
    return run("CreateStateMachine", json::write(json::Object{{"name", name},
                                                              {"definition", definition},
                                                              {"roleArn", kRole},
                                                              {"type", type}}));
  }
  // The execution's ARN, or the refusal.
  std::string begin(std::string_view machine, std::string_view input = "{}", std::string_view name = {}) {
    json::Object request{{"stateMachineArn", machine_arn(machine)}, {"input", input}};
    if (!name.empty()) request.set("name", name);
    const std::string answer = run("StartExecution", json::write(json::Value(std::move(request))));
    const auto document = json::parse(answer);
    const json::Value* arn = document ? document->find("executionArn") : nullptr;
    return arn ? arn->string() : answer;
  }
  json::Value describe(std::string_view arn) {
    return ask("DescribeExecution", json::write(json::Object{{"executionArn", arn}}));
  }
  std::string status(std::string_view arn) { return describe(arn).find("status")->string(); }
  // A member of what DescribeExecution says; empty: it is not there.
  std::string told(std::string_view arn, std::string_view member) {
    const json::Value described = describe(arn);
    const json::Value* value = described.find(member);
    return value ? value->string() : "";
  }
  std::string output(std::string_view arn) { return told(arn, "output"); }

  json::Array history(std::string_view arn) {
    json::Array events;
    json::Object request{{"executionArn", arn}, {"maxResults", 1000}};
    for (;;) {
      json::Value page = ask("GetExecutionHistory", json::write(json::Value(request)));
      for (json::Value& event : page.object().find("events")->array()) events.push_back(std::move(event));
      const json::Value* next = page.find("nextToken");
      if (!next) return events;
      request.set("nextToken", *next);
    }
  }
  // "PassStateEntered A", with the names of states.
  std::vector<std::string> events(std::string_view arn) {
    std::vector<std::string> result;
    for (const json::Value& event : history(arn)) {
      std::string text = event.find("type")->string();
      for (const auto& [name, value] : event.object()) {
        if (const json::Value* state = value.find("name")) text += " " + state->string();
      }
      result.push_back(std::move(text));
    }
    return result;
  }

  // What tasks are asked, and what they answer. A null function never answers.
  std::vector<tasks::TaskCall> calls;
  std::function<tasks::TaskOutcome(const tasks::TaskCall&)> answer_with = [](const tasks::TaskCall& call) {
    return tasks::Succeeded{call.parameters};
  };
  // Calls wait until they are let go.
  bool holds_calls = false;
  void let_go() {
    holds_calls = false;
    for (const base::Signal& held : held_) held.signal();
    held_.clear();
  }

  store::Troubles troubles;  // of the store, but for its timers

  // Adds to the registry, also after each crash.
  std::function<void(wire::Registry&)> other_services;

  std::unique_ptr<Service> service;

 private:
  class Player final : public tasks::Caller {
   public:
    explicit Player(World& world) : world_(world) {}
    [[nodiscard]] std::optional<std::string> refusal(const tasks::Resource& resource) const override {
      if (resource.arn.contains(":glue:")) return base::cat("Tidemill does not support ", resource.arn, ".");
      return std::nullopt;
    }
    Task<tasks::TaskOutcome> call(const tasks::TaskCall& call) override {
      world_.calls.push_back(call);
      if (world_.holds_calls) {
        const base::Signal held;
        world_.held_.push_back(held);
        co_await held;
      }
      co_return world_.answer_with(call);
    }
    [[nodiscard]] tasks::TaskOutcome end_of_nested(const tasks::Resource&, const tasks::NestedEnd& end) const override {
      if (end.status == "SUCCEEDED") return tasks::Succeeded{end.description};
      return tasks::Failed{.error = "States.TaskFailed", .cause = json::write(end.description)};
    }

   private:
    World& world_;
  };

  void make_services() override {
    held_.clear();
    store = std::make_unique<store::FailingStore>(std::move(store), troubles);
    platform = std::make_unique<wire::Platform>(wire::Platform{*store, clock, metrics, *registry, &gathered});
    service = std::make_unique<Service>(*platform, std::make_unique<Player>(*this),
                                        ServiceOptions{.evaluates_on_threads = false});
    service->register_operations(*registry);
    service->register_timers(*timers);
    if (other_services) other_services(*registry);
  }
  void start_services() override { tasks.spawn(service->start()); }
  void drop_services() override { service.reset(); }

  std::vector<base::Signal> held_;
};

}  // namespace tidemill::states::testing
