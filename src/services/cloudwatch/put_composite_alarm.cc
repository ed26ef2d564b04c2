// Makes a composite alarm, or gives one that is there another configuration; its state stays, and is looked at anew.
#include <set>

#include "base/text.h"
#include "lang/alarms/alarm_rule.h"
#include "services/cloudwatch/alarm.h"
#include "services/cloudwatch/alarm_change.h"
#include "services/cloudwatch/alarm_history.h"
#include "services/cloudwatch/composite_alarm.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/operations.h"

namespace tidemill::cloudwatch {
namespace {

using base::cat;

CompositeAlarm composite_of(const wire::Context& context, const shapes::PutCompositeAlarmInput& in) {
  CompositeAlarm alarm{
      .address = {context.account, context.region, in.alarm_name},
      .description = in.alarm_description.value_or(""),
      .has_description = in.alarm_description.has_value(),
      .actions_enabled = in.actions_enabled.value_or(true),
      .ok_actions = checked_actions(in.ok_actions, "OKActions"),
      .alarm_actions = checked_actions(in.alarm_actions, "AlarmActions"),
      .insufficient_data_actions = checked_actions(in.insufficient_data_actions, "InsufficientDataActions"),
      .rule = in.alarm_rule,
      .suppressor = in.actions_suppressor.value_or(""),
      .wait_seconds = in.actions_suppressor_wait_period.value_or(0),
      .extension_seconds = in.actions_suppressor_extension_period.value_or(0),
      .configured = context.now()};
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
  if (in.tags) {
    for (const shapes::Tag& tag : *in.tags) alarm.tags.insert_or_assign(tag.key, tag.value);
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
    if (before) {
      unwatch_children(txn, *before);
      alarm.state = before->state;
      alarm.is_held = before->is_held;
      alarm.held_until = before->held_until;
      alarm.tags = before->tags;  // AWS ignores those of an update
    } else {
      alarm.state = {.reason = "Unchecked: Initial alarm creation", .updated = now, .transitioned = now};
    }
    watch_children(txn, alarm);
    txn.put(composite_key(alarm.address), encode_composite(alarm));
    co_await add_history(txn, {alarm.address, shapes::AlarmType::kCompositeAlarm}, now,
                         shapes::HistoryItemType::kConfigurationUpdate,
                         cat("Alarm \"", alarm.address.name, before ? "\" updated" : "\" created"),
                         configuration_data(before ? "Update" : "Create", alarm));
    co_await evaluate_composite_at(txn, alarm.address, now);
    if (!before) co_await evaluate_parents(txn, alarm.address, now);
  });
  co_return shapes::PutCompositeAlarmOutput{};
}

}  // namespace tidemill::cloudwatch
