// EventBridge, assembled: what its operations share, and how they come into the registry.
#pragma once

#include "engine/deliveries.h"
#include "engine/targets/connection.h"
#include "engine/timer_service.h"
#include "services/events/rule_set.h"
#include "services/events/sending.h"
#include "wire/registry.h"

namespace tidemill::events {

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  // `http`: how events leave for API destinations.
  Service(wire::Platform& platform, engine::HttpSend http) : platform_(platform), sending_(platform, std::move(http)) {}

  // Registers every operation.
  void register_operations(wire::Registry& registry);
  // Registers how events leave, and the handlers of its timers. Before the timers start.
  void register_timers(engine::TimerService& timers, engine::Deliveries& deliveries);

  // For those inside the process who call endpoints by a connection.
  Task<std::optional<engine::ConnectionParts>> find_connection_parts(std::string arn);

  [[nodiscard]] wire::Platform& platform() const { return platform_; }
  [[nodiscard]] store::Store& store() { return platform_.store; }
  [[nodiscard]] base::Clock& clock() { return platform_.clock; }
  [[nodiscard]] RuleSets& rules() { return rules_; }
  [[nodiscard]] Sending& sending() { return sending_; }

 private:
  wire::Platform& platform_;
  RuleSets rules_;
  Sending sending_;
};

}  // namespace tidemill::events
