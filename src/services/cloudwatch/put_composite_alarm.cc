// Makes a composite alarm, or gives one that is there another configuration; its state stays, and is looked at anew.
#include <set>

#include "base/text.h"
#include "lang/alarms/alarm_rule.h"
#include "services/cloudwatch/alarm.h"
#include "services/cloudwatch/alarm_configuration.h"
#include "services/cloudwatch/composite_alarm.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/operations.h"

namespace tidemill::cloudwatch {
namespace {

using base::cat;

CompositeAlarm composite_of(const wire::Context& context, const shapes::PutCompositeAlarmInput& in) {
  auto alarm = begin_alarm<CompositeAlarm>(context, in);
  alarm.rule = in.alarm_rule;
  alarm.suppressor = in.actions_suppressor.value_or("");
  alarm.wait_seconds = in.actions_suppressor_wait_period.value_or(0);
  alarm.extension_seconds = in.actions_suppressor_extension_period.value_or(0);
  try {
    (void)lang::alarms::AlarmRule::parse(alarm.rule);
  } catch (const lang::alarms::RuleError& error) {
    throw does_not_fit(cat("AlarmRule is invalid: ", error.what()));
  }
  const bool has_periods = in.actions_suppressor_wait_period && in.actions_suppressor_extension_period;
  const bool has_any_period = in.actions_suppressor_wait_period || in.actions_suppressor_extension_period;
  if (alarm.suppressor.empty() ? has_any_period : !has_periods) {
    throw does_not_fit(
        "ActionsSuppressor, ActionsSuppressorWaitPeriod and ActionsSuppressorExtensionPeriod must be specified "
        "together.");
  }
  return alarm;
}

// All that it asks about must be there.
Task<void> check_children(store::Transaction& txn, const CompositeAlarm& alarm) {
  std::string missing;
  for (const std::string& name : alarm.watched()) {
    const store::ResourceAddress child{alarm.address.account, alarm.address.region, name};
    if (name == alarm.address.name || co_await state_of_alarm(txn, child)) continue;
    missing += cat(missing.empty() ? "" : ", ", arn_of_alarm(child));
  }
  if (missing.empty()) co_return;
  throw does_not_fit(
      cat("Could not save the composite alarm as alarms [", missing, "] in the alarm rule do not exist"));
}

}  // namespace

Task<shapes::PutCompositeAlarmOutput> put_composite_alarm(Service& service, wire::Context& context,
                                                          const shapes::PutCompositeAlarmInput& request) {
  const CompositeAlarm wanted = composite_of(context, request);
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    CompositeAlarm alarm = wanted;
    if (co_await find_alarm(txn, alarm.address)) throw name_is_taken(alarm.address.name, "metric");
    co_await check_children(txn, alarm);
    const auto before = co_await find_composite(txn, alarm.address);
    keep_of_before(alarm, before ? &*before : nullptr);
    if (before) {
      unwatch_children(txn, *before);
      alarm.is_held = before->is_held;
      alarm.held_until = before->held_until;
    }
    watch_children(txn, alarm);
    txn.put(composite_key(alarm.address), encode_composite(alarm));
    co_await note_configuration(txn, alarm, before ? &*before : nullptr, now);
    co_await evaluate_composite_at(txn, alarm.address, now);
    if (!before) co_await evaluate_parents(txn, alarm.address, now);
  });
  co_return shapes::PutCompositeAlarmOutput{};
}

}  // namespace tidemill::cloudwatch
