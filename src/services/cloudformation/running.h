// The engine of stacks: a stack that runs has a timer that is due, so whoever owns these timers works on it, also after
// a crash (deployment.h says how).
#pragma once

#include <string_view>

#include "base/blocking_work.h"
#include "engine/timer_service.h"
#include "services/cloudformation/stack.h"
#include "wire/context.h"

namespace tidemill::cloudformation {

inline constexpr std::string_view kRunTimer = "cloudformation-run";
inline constexpr std::string_view kForgetTimer = "cloudformation-forget";  // deleted stacks, after their time

// Stacks that are worked on at the same time. A nested stack needs a place beside its parent's, so it is as many as
// there may be in several regions.
inline constexpr size_t kRunningStacksMax = 10'000;

class Running {
 public:
  // Both outlive it. `template_work`: where templates are read.
  Running(wire::Platform& platform, base::BlockingWork& template_work)
      : platform_(platform), template_work_(template_work) {}

  // Before the timers start.
  void register_with(engine::TimerService& timers);

 private:
  Task<void> run(const store::Timer& timer);
  Task<void> forget(const store::Timer& timer);

  wire::Platform& platform_;
  base::BlockingWork& template_work_;
  engine::TimerService* timers_ = nullptr;
};

// In the transaction that gives the stack a status that runs.
Task<void> start_running(store::Transaction& txn, const Stack& stack, base::Time now);
// In the one that deletes it: its name is free, and it is forgotten once its time has come.
Task<void> forget_name(store::Transaction& txn, const Stack& stack, base::Time now);
// A rollback of an update begins.
Task<void> begin_undoing(store::Transaction& txn, Stack& stack);

}  // namespace tidemill::cloudformation
