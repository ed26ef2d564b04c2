// For tests: CloudWatch over the simulated store, asked as clients ask it (json), with a function in place of topics and
// functions that notes what alarms tell.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/deliveries.h"
#include "services/cloudwatch/alarm_change.h"
#include "services/cloudwatch/service.h"
#include "services/test_world.h"

namespace tidemill::cloudwatch::testing {

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : TestWorld({"cloudwatch"}, seed, faults) {
    boot();
  }
  ~World() { shut_down(); }

  [[nodiscard]] int64_t now() const {
    return std::chrono::floor<std::chrono::seconds>(clock.now().time_since_epoch()).count();
  }

  // One datum of the metric "m" in "n"; `members`: "\"Value\":1".
  std::string put(std::string_view members) {
    return run("PutMetricData",
               base::cat(R"({"Namespace":"n","MetricData":[{"MetricName":"m",)", members, "}]}"));
  }
  // Of "m" in "n": from `ago` seconds on to a minute from now.
  json::Value statistics(std::string_view members, int64_t ago = 3600, int period = 60) {
    return ask("GetMetricStatistics",
               base::cat(R"({"Namespace":"n","MetricName":"m","StartTime":)", now() - ago, R"(,"EndTime":)", now() + 60,
                         R"(,"Period":)", period, ",", members, "}"));
  }
  // A member of each datapoint.
  static std::vector<double> values_of(const json::Value& answer, std::string_view name) {
    std::vector<double> result;
    for (const json::Value& point : answer.find("Datapoints")->array()) {
      const json::Value* extended = point.find("ExtendedStatistics");
      const json::Value* value = point.find(name);
      if (!value && extended) value = extended->find(name);
      if (value) result.push_back(*value->to_double());
    }
    return result;
  }

  std::string put_alarm(std::string_view name, std::string_view members) {
    return run("PutMetricAlarm",
               base::cat(R"({"AlarmName":")", name,
                         R"(","Namespace":"n","MetricName":"m","ComparisonOperator":"GreaterThanThreshold",)", members,
                         "}"));
  }
  std::string state(std::string_view name) {
    const auto answer = ask("DescribeAlarms", base::cat(R"({"AlarmNames":[")", name, "\"]}"));
    const auto& alarms = answer.find("MetricAlarms")->array();
    return alarms.empty() ? "" : alarms[0].find("StateValue")->string();
  }

  std::unique_ptr<Service> service;
  std::unique_ptr<engine::Deliveries> deliveries;
  std::vector<std::string> told;  // "<target> <payload>"

 private:
  void make_services() override {
    service = std::make_unique<Service>(*store, clock, executor, gathered);
    service->register_operations(*registry);
    service->register_timers(*timers);
    deliveries = std::make_unique<engine::Deliveries>(*store, clock, *timers);
    for (const std::string_view kind : {kTopicTarget, kFunctionTarget}) {
      deliveries->send_with(kind, [this](const store::Delivery& delivery) -> Task<store::SendOutcome> {
        told.push_back(delivery.target + " " + delivery.payload);
        co_return store::SendOutcome{};
      });
    }
  }
  void drop_services() override {
    deliveries.reset();
    service.reset();
  }
};

}  // namespace tidemill::cloudwatch::testing
