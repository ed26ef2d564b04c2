// Deletes alarms, sets their state by hand, and turns their actions on and off; their tags.
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "services/cloudwatch/alarm.h"
#include "services/cloudwatch/alarm_change.h"
#include "services/cloudwatch/alarm_configuration.h"
#include "services/cloudwatch/composite_change.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/evaluation.h"
#include "services/cloudwatch/operations.h"

namespace tidemill::cloudwatch {
namespace {

using base::cat;

std::string encode(const Alarm& alarm) { return encode_alarm(alarm); }
std::string encode(const CompositeAlarm& alarm) { return encode_composite(alarm); }
std::string key_of(const Alarm& alarm) { return alarm_key(alarm.address); }
std::string key_of(const CompositeAlarm& alarm) { return composite_key(alarm.address); }

// Gives `change` the alarm of that name, of metrics or composite, and writes what it makes of it. False: there is none.
template <class Change>
Task<bool> change_any(store::Transaction& txn, const store::ResourceAddress& address, Change change) {
  const auto apply = [&](auto& alarm) -> Task<void> {
    co_await change(alarm);
    txn.put(key_of(alarm), encode(alarm));
  };
  if (auto alarm = co_await find_alarm(txn, address)) {
    co_await apply(*alarm);
    co_return true;
  }
  auto composite = co_await find_composite(txn, address);
  if (composite) co_await apply(*composite);
  co_return composite.has_value();
}

Task<void> enable_actions(Service& service, wire::Context& context, const std::vector<std::string>& names,
                          bool enabled) {
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    for (const std::string& name : names) {
      // Names of no alarm are passed over, as on AWS.
      (void)co_await change_any(txn, {context.account, context.region, name}, [&](auto& alarm) -> Task<void> {
        if (alarm.actions_enabled == enabled) co_return;
        const auto before = alarm;
        alarm.actions_enabled = enabled;
        alarm.configured = now;
        co_await note_configuration(txn, alarm, &before, now);
      });
    }
  });
}

store::ResourceAddress alarm_of_arn(const wire::Context& context, std::string_view arn) {
  const std::string beginning = cat("arn:aws:cloudwatch:", context.region, ":", context.account, ":alarm:");
  if (!arn.starts_with(beginning)) throw invalid_value("ResourceARN", arn);
  return {context.account, context.region, std::string(arn.substr(beginning.size()))};
}

wire::Error not_found(std::string_view arn) {
  return errors::resource_not_found_exception(cat(arn, " does not exist"));
}

// Changes the tags of an alarm, of metrics or composite.
Task<void> change_tags(Service& service, const wire::Context& context, std::string_view arn,
                       const std::function<void(wire::TagMap& tags)>& change) {
  const store::ResourceAddress address = alarm_of_arn(context, arn);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const bool is_there = co_await change_any(txn, address, [&](AnyAlarm& alarm) -> Task<void> {
      change(alarm.tags);
      co_return;
    });
    if (!is_there) throw not_found(arn);
  });
}

Task<void> delete_metric_alarm(store::Transaction& txn, const Alarm& alarm, base::Time now) {
  txn.erase(alarm_key(alarm.address));
  for (const std::string& key : watch_keys(alarm)) txn.erase(key);
  co_await store::cancel_timer(txn, kEvaluationTimer, alarm_key(alarm.address));
  co_await note_deletion(txn, alarm, now);
}

Task<void> delete_composite(store::Transaction& txn, const CompositeAlarm& alarm, base::Time now) {
  txn.erase(composite_key(alarm.address));
  unwatch_children(txn, alarm);
  co_await store::cancel_timer(txn, kCompositeTimer, composite_key(alarm.address));
  co_await note_deletion(txn, alarm, now);
}

}  // namespace

Task<shapes::DeleteAlarmsOutput> delete_alarms(Service& service, wire::Context& context,
                                               const shapes::DeleteAlarmsInput& request) {
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const std::set<std::string> names(request.alarm_names.begin(), request.alarm_names.end());
    int composites = 0;
    for (const std::string& name : names) {
      const store::ResourceAddress address{context.account, context.region, name};
      if (const auto composite = co_await find_composite(txn, address)) {
        if (++composites > 1) throw does_not_fit("You can delete only one composite alarm in one operation.");
        co_await delete_composite(txn, *composite, now);
      } else {
        co_await delete_metric_alarm(txn, co_await get_alarm(txn, address), now);
      }
      co_await evaluate_parents(txn, address, now);
    }
  });
  co_return shapes::DeleteAlarmsOutput{};
}

Task<shapes::SetAlarmStateOutput> set_alarm_state(Service& service, wire::Context& context,
                                                  const shapes::SetAlarmStateInput& request) {
  const std::string data = request.state_reason_data.value_or("");
  if (!data.empty() && !json::parse(data)) {
    throw errors::invalid_format_fault("StateReasonData must be valid JSON.");
  }
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const store::ResourceAddress address{context.account, context.region, request.alarm_name};
    auto found = co_await find_alarm(txn, address);
    if (!found) {
      auto composite = co_await find_composite(txn, address);
      if (!composite) throw errors::resource_not_found("");  // AWS says no more here
      co_await change_composite(txn, *composite, request.state_value, request.state_reason, data, now);
      co_return;
    }
    Alarm& alarm = *found;
    co_await change_state(txn, alarm, request.state_value, request.state_reason, data, now);
    // It holds until the alarm is looked at again.
    co_await evaluate_at(txn, alarm.address, next_period(alarm, now));
  });
  co_return shapes::SetAlarmStateOutput{};
}

Task<shapes::EnableAlarmActionsOutput> enable_alarm_actions(Service& service, wire::Context& context,
                                                            const shapes::EnableAlarmActionsInput& request) {
  co_await enable_actions(service, context, request.alarm_names, true);
  co_return shapes::EnableAlarmActionsOutput{};
}

Task<shapes::DisableAlarmActionsOutput> disable_alarm_actions(Service& service, wire::Context& context,
                                                              const shapes::DisableAlarmActionsInput& request) {
  co_await enable_actions(service, context, request.alarm_names, false);
  co_return shapes::DisableAlarmActionsOutput{};
}

Task<shapes::TagResourceOutput> tag_resource(Service& service, wire::Context& context,
                                             const shapes::TagResourceInput& request) {
  co_await change_tags(service, context, request.resource_arn,
                       [&](wire::TagMap& tags) { tags = with_tags(std::move(tags), request.tags); });
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service& service, wire::Context& context,
                                                 const shapes::UntagResourceInput& request) {
  co_await change_tags(service, context, request.resource_arn, [&](wire::TagMap& tags) {
    for (const std::string& key : request.tag_keys) {
      if (!wire::may_remove_tag(tags, key)) throw invalid_value("TagKeys", key);
    }
    wire::erase_tags(tags, request.tag_keys);
  });
  co_return shapes::UntagResourceOutput{};
}

Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service& service, wire::Context& context,
                                                               const shapes::ListTagsForResourceInput& request) {
  const store::ResourceAddress address = alarm_of_arn(context, request.resource_arn);
  const auto snapshot = service.store().snapshot();
  wire::TagMap tags;
  if (const auto alarm = co_await find_alarm(*snapshot, address)) {
    tags = alarm->tags;
  } else if (const auto composite = co_await find_composite(*snapshot, address)) {
    tags = composite->tags;
  } else {
    throw not_found(request.resource_arn);
  }
  co_return shapes::ListTagsForResourceOutput{.tags = wire::tag_list<shapes::Tag>(tags)};
}

}  // namespace tidemill::cloudwatch
