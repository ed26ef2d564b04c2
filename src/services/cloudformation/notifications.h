// Tells a stack's topics (NotificationARNs) of its events, in their order and each at least once, also after a crash: a
// timer is set in the transaction that writes an event, and how far it has come is kept beside the stack.
#pragma once

#include <string_view>

#include "engine/timer_service.h"
#include "services/cloudformation/stack.h"
#include "wire/context.h"

namespace tidemill::cloudformation {

inline constexpr std::string_view kNotifyTimer = "cloudformation-notify";

class Notifications {
 public:
  explicit Notifications(wire::Platform& platform) : platform_(platform) {}

  // Before the timers start.
  void register_with(engine::TimerService& timers);

 private:
  Task<void> run(const store::Timer& timer);

  wire::Platform& platform_;
};

// In the transaction that writes an event of the stack.
Task<void> notify_of_events(store::Transaction& txn, const Stack& stack, base::Time now);

// In the transaction that gives the stack these settings, before it does: topics of a stack that had none are told of
// what is to come, and of nothing before.
Task<void> begin_notifying(store::Transaction& txn, const Stack& stack, const Settings& settings);

// Throws ValidationError unless all are ARNs of topics.
void check_notification_arns(const std::vector<std::string>& arns);

}  // namespace tidemill::cloudformation
