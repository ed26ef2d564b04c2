// Deletes alarms, sets their state by hand, and turns their actions on and off; their tags.
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "services/cloudwatch/alarm.h"
#include "services/cloudwatch/alarm_change.h"
#include "services/cloudwatch/alarm_history.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/evaluation.h"
#include "services/cloudwatch/operations.h"

namespace tidemill::cloudwatch {
namespace {

using base::cat;

constexpr size_t kTagsMax = 50;

Task<void> enable_actions(Service& service, wire::Context& context, const std::vector<std::string>& names, bool enabled) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    for (const std::string& name : names) {
      // Names of no alarm are passed over, as on AWS.
      auto alarm = co_await find_alarm(txn, {context.account, context.region, name});
      if (!alarm || alarm->actions_enabled == enabled) continue;
      alarm->actions_enabled = enabled;
      txn.put(alarm_key(alarm->address), encode_alarm(*alarm));
    }
  });
}

store::ResourceAddress alarm_of_arn(const wire::Context& context, std::string_view arn) {
  const std::string beginning = cat("arn:aws:cloudwatch:", context.region, ":", context.account, ":alarm:");
  if (!arn.starts_with(beginning)) throw invalid_value("ResourceARN", arn);
  return {context.account, context.region, std::string(arn.substr(beginning.size()))};
}

Task<Alarm> alarm_with_arn(store::Snapshot& reader, const wire::Context& context, std::string_view arn) {
  auto alarm = co_await find_alarm(reader, alarm_of_arn(context, arn));
  if (!alarm) throw errors::resource_not_found_exception(cat(arn, " does not exist"));
  co_return *std::move(alarm);
}

}  // namespace

Task<shapes::DeleteAlarmsOutput> delete_alarms(Service& service, wire::Context& context,
                                               const shapes::DeleteAlarmsInput& request) {
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const std::set<std::string> names(request.alarm_names.begin(), request.alarm_names.end());
    for (const std::string& name : names) {
      const Alarm alarm = co_await get_alarm(txn, {context.account, context.region, name});
      txn.erase(alarm_key(alarm.address));
      txn.erase(watch_key(alarm));
      co_await store::cancel_timer(txn, kEvaluationTimer, alarm_key(alarm.address));
      co_await add_history(txn, alarm, now, shapes::HistoryItemType::kConfigurationUpdate,
                           cat("Alarm \"", name, "\" deleted"), configuration_data("Delete", alarm));
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
    auto found = co_await find_alarm(txn, {context.account, context.region, request.alarm_name});
    if (!found) throw errors::resource_not_found("");  // AWS says no more here
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
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Alarm alarm = co_await alarm_with_arn(txn, context, request.resource_arn);
    for (const shapes::Tag& tag : request.tags) alarm.tags.insert_or_assign(tag.key, tag.value);
    if (alarm.tags.size() > kTagsMax) throw collection_too_large("Tags", kTagsMax);
    txn.put(alarm_key(alarm.address), encode_alarm(alarm));
  });
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service& service, wire::Context& context,
                                                 const shapes::UntagResourceInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Alarm alarm = co_await alarm_with_arn(txn, context, request.resource_arn);
    for (const std::string& key : request.tag_keys) alarm.tags.erase(key);
    txn.put(alarm_key(alarm.address), encode_alarm(alarm));
  });
  co_return shapes::UntagResourceOutput{};
}

Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service& service, wire::Context& context,
                                                               const shapes::ListTagsForResourceInput& request) {
  const auto snapshot = service.store().snapshot();
  const Alarm alarm = co_await alarm_with_arn(*snapshot, context, request.resource_arn);
  shapes::ListTagsForResourceOutput out;
  out.tags.emplace();
  for (const auto& [key, value] : alarm.tags) out.tags->push_back({.key = key, .value = value});
  co_return out;
}

}  // namespace tidemill::cloudwatch
