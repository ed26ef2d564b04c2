// CloudFormation and the Cloud Control API, assembled: what its operations share, and how they come into the registry.
#pragma once

#include "base/blocking_work.h"
#include "engine/timer_service.h"
#include "services/cloudformation/notifications.h"
#include "services/cloudformation/resource_request.h"
#include "services/cloudformation/running.h"
#include "wire/context.h"
#include "wire/registry.h"

namespace tidemill::cloudformation {

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  static constexpr int kTemplateThreads = 2;

  // `template_threads`: 0 in simulations (base/blocking_work.h).
  explicit Service(wire::Platform& platform, int template_threads = kTemplateThreads)
      : platform_(platform),
        template_work_(template_threads),
        running_(platform, template_work_),
        notifications_(platform),
        requests_(platform) {}

  // Registers every operation, and refuses those that are not there.
  void register_operations(wire::Registry& registry);
  // Before the timers start.
  void register_timers(engine::TimerService& timers) {
    running_.register_with(timers);
    notifications_.register_with(timers);
    requests_.register_with(timers);
  }

  [[nodiscard]] store::Store& store() { return platform_.store; }
  // Where templates are parsed, processed and compared: a million bytes of them take a fifth of a second.
  [[nodiscard]] base::BlockingWork& template_work() { return template_work_; }

 private:
  wire::Platform& platform_;
  base::BlockingWork template_work_;
  Running running_;
  Notifications notifications_;
  ResourceRequests requests_;
};

}  // namespace tidemill::cloudformation
