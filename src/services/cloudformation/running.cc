#include "services/cloudformation/running.h"

#include <stdexcept>

#include "base/text.h"
#include "services/cloudformation/deployment.h"
#include "services/cloudformation/template_text.h"
#include "store/timer.h"

namespace tidemill::cloudformation {

void Running::register_with(engine::TimerService& timers) {
  timers_ = &timers;
  timers.handle(store::TimerKind{kRunTimer}, [this](const store::Timer& timer) { return run(timer); },
                {.concurrent_max = kRunningStacksMax});
  timers.handle(store::TimerKind{kForgetTimer}, [this](const store::Timer& timer) { return forget(timer); },
                {.purpose = base::Purpose::housekeeping});
}

Task<void> Running::run(const store::Timer& timer) {
  const auto id = parse_stack_arn(timer.id);
  if (!id) throw std::runtime_error(base::cat("the timer of a stack is damaged: ", timer.id));
  Deployment deployment(platform_, template_work_, timers_->tenure(store::TimerKind{kRunTimer}), timer);
  co_await deployment.run(*id);
}

Task<void> Running::forget(const store::Timer& timer) {
  const auto id = parse_stack_arn(timer.id);
  if (!id) throw std::runtime_error(base::cat("the timer of a stack is damaged: ", timer.id));
  co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    const auto stack = co_await load_stack(txn, id->place, id->uuid);
    if (!stack || stack->status != status::kDeleted) co_return;
    for (const auto& [name, resource] : co_await load_resources(txn, stack->id)) {
      erase_resource(txn, stack->id, resource);
    }
    txn.erase_range(events_range(id->place, id->uuid));
    txn.erase_range(templates_range(id->place, id->uuid));
    txn.erase(stack_order_key(id->place, stack->created.time_since_epoch().count(), id->uuid));
    txn.erase(notified_key(id->place, id->uuid));
    txn.erase(stack->key());
  });
}

Task<void> start_running(store::Transaction& txn, const Stack& stack, base::Time now) {
  co_await store::set_timer(txn, {std::string(kRunTimer), stack.id.arn(), now, ""});
  txn.signal(stack_topic(stack.id.uuid));
}

Task<void> forget_name(store::Transaction& txn, const Stack& stack, base::Time now) {
  const std::string key = stack_name_key(stack.place(), stack.id.name);
  if (const auto uuid = co_await txn.get(key); uuid == stack.id.uuid) txn.erase(key);
  co_await store::set_timer(txn, {std::string(kForgetTimer), stack.id.arn(), now + kDeletedStacksKept, ""});
}

Task<void> begin_undoing(store::Transaction& txn, Stack& stack) {
  ++stack.operation;
  if (!stack.nesting || !stack.nesting->before) co_return;
  stack.current = stack.nesting->before->settings;
  const auto text = co_await load_template(txn, stack.id, kHeldTemplate);
  if (text) put_template(txn, stack.id, kCurrentTemplate, *text);
}

}  // namespace tidemill::cloudformation
