// For tests: Logs over the simulated store, asked as clients ask it.
//
//   World world;
//   world.create("g", "s");
//   world.put("g", "s", {{world.now(), "hello"}});
//   EXPECT_THAT(world.messages("g", "s"), ElementsAre("hello"));
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/cloudwatch/service.h"
#include "services/logs/service.h"
#include "services/test_world.h"

namespace tidemill::logs::testing {

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : TestWorld({"logs"}, seed, faults) {
    boot();
  }
  ~World() { shut_down(); }

  using Events = std::vector<std::pair<Milliseconds, std::string>>;

  [[nodiscard]] Milliseconds now() const { return milliseconds(clock.now()); }

  // {"logGroupName": …, and `more`: "\"limit\":1".
  static std::string of_group(std::string_view group, std::string_view more = "") {
    return base::cat(R"({"logGroupName":")", group, "\"", more.empty() ? "" : ",", more, "}");
  }
  static std::string of_stream(std::string_view group, std::string_view stream, std::string_view more = "") {
    return of_group(group,
                    base::cat(R"("logStreamName":")", stream, "\"", more.empty() ? "" : ",", more));
  }
  static std::string put_body(std::string_view group, std::string_view stream, const Events& events) {
    std::string list;
    for (const auto& [time, message] : events) {
      list += base::cat(list.empty() ? "" : ",", R"({"timestamp":)", time, R"(,"message":")", message, "\"}");
    }
    return of_stream(group, stream, base::cat(R"("logEvents":[)", list, "]"));
  }

  void create_group(std::string_view group) { EXPECT_EQ(run("CreateLogGroup", of_group(group)), "{}"); }
  void create_stream(std::string_view group, std::string_view stream) {
    EXPECT_EQ(run("CreateLogStream", of_stream(group, stream)), "{}");
  }
  void create(std::string_view group, std::string_view stream) {
    create_group(group);
    create_stream(group, stream);
  }
  std::string put(std::string_view group, std::string_view stream, const Events& events) {
    return run("PutLogEvents", put_body(group, stream, events));
  }
  json::Value get(std::string_view group, std::string_view stream, std::string_view more = "\"startFromHead\":true") {
    return ask("GetLogEvents", of_stream(group, stream, more));
  }
  json::Value filter(std::string_view group, std::string_view more = "") {
    return ask("FilterLogEvents", of_group(group, more));
  }
  std::vector<std::string> messages(std::string_view group, std::string_view stream) {
    return messages_of(get(group, stream));
  }

  static std::vector<std::string> messages_of(const json::Value& answer) {
    return texts_of(answer, "events", "message");
  }
  // One member of each of a list's elements.
  static std::vector<std::string> texts_of(const json::Value& answer, std::string_view list, std::string_view name) {
    std::vector<std::string> result;
    const json::Value* found = answer.find(list);
    if (!found) return result;
    for (const json::Value& element : found->array()) result.push_back(element.find(name)->string());
    return result;
  }
  static std::string text(const json::Value& answer, std::string_view name) {
    const json::Value* found = answer.find(name);
    return found ? found->string() : "";
  }

  // Registers operations of services that are not here, now and after each crash.
  void with(std::function<void(wire::Registry&)> others) {
    others(*registry);
    others_ = std::move(others);
  }

  std::unique_ptr<Service> service;
  std::unique_ptr<cloudwatch::Service> metrics_service;
  std::unique_ptr<engine::Deliveries> deliveries;

 private:
  void make_services() override {
    service = std::make_unique<Service>(*store, clock, false);
    metrics_service = std::make_unique<cloudwatch::Service>(*store, clock, executor, gathered);
    deliveries = std::make_unique<engine::Deliveries>(*store, clock, *timers);
    service->register_operations(*registry);
    service->register_timers(*timers, *platform);
    service->register_senders(*deliveries, *platform);
    metrics_service->register_operations(*registry);
    metrics_service->register_timers(*timers);
    if (others_) others_(*registry);
  }
  void drop_services() override {
    deliveries.reset();
    metrics_service.reset();
    service.reset();
  }

  std::function<void(wire::Registry&)> others_;
};

}  // namespace tidemill::logs::testing
