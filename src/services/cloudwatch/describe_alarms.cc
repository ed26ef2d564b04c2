// Shows alarms, those of a metric, and what has happened to them.
#include <algorithm>
#include <tuple>

#include "base/base64.h"
#include "services/cloudwatch/alarm.h"
#include "services/cloudwatch/alarm_history.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/operations.h"

namespace tidemill::cloudwatch {
namespace {

constexpr size_t kRecordsByDefault = 50;
constexpr size_t kHistoryByDefault = 100;

bool asks_for_metric_alarms(const std::optional<std::vector<std::string>>& types) {
  return !types || types->empty() || std::ranges::find(*types, shapes::AlarmType::kMetricAlarm) != types->end();
}

bool has_action(const Alarm& alarm, const std::string& prefix) {
  for (const auto* list : {&alarm.ok_actions, &alarm.alarm_actions, &alarm.insufficient_data_actions}) {
    if (std::ranges::any_of(*list, [&](const std::string& arn) { return arn.starts_with(prefix); })) return true;
  }
  return false;
}

bool is_wanted(const Alarm& alarm, const shapes::DescribeAlarmsInput& request) {
  if (request.alarm_names && !request.alarm_names->empty() &&
      std::ranges::find(*request.alarm_names, alarm.address.name) == request.alarm_names->end()) {
    return false;
  }
  if (!alarm.address.name.starts_with(request.alarm_name_prefix.value_or(""))) return false;
  if (request.state_value && alarm.state.value != *request.state_value) return false;
  return !request.action_prefix || has_action(alarm, *request.action_prefix);
}

std::string key_after(const std::string& token, const store::Range& range) {
  auto after = base::base64_decode(token);
  if (!after || *after < range.begin || *after >= range.end) throw invalid_next_token();
  return *std::move(after);
}

}  // namespace

Task<shapes::DescribeAlarmsOutput> describe_alarms(Service& service, wire::Context& context,
                                                   const shapes::DescribeAlarmsInput& request) {
  if (request.alarm_names && request.alarm_name_prefix) {
    throw errors::invalid_parameter_combination_exception(
        "The parameters AlarmNames and AlarmNamePrefix are mutually exclusive and you have specified both.");
  }
  shapes::DescribeAlarmsOutput out;
  out.metric_alarms.emplace();
  out.composite_alarms.emplace();
  if (!asks_for_metric_alarms(request.alarm_types)) co_return out;
  store::Range range = store::resources_range(kAlarmType, context.account, context.region);
  if (request.next_token) range.begin = key_after(*request.next_token, range) + '\0';
  const auto limit = static_cast<size_t>(request.max_records.value_or(kRecordsByDefault));
  std::string last;
  const auto snapshot = service.store().snapshot();
  co_await snapshot->scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    auto address = store::resource_of_key(kAlarmType, key);
    if (!address) return true;
    const Alarm alarm = decode_alarm(*std::move(address), value);
    if (!is_wanted(alarm, request)) return true;
    if (out.metric_alarms->size() == limit) {
      out.next_token = base::base64_encode(last);
      return false;
    }
    out.metric_alarms->push_back(describe(alarm));
    last = key;
    return true;
  });
  co_return out;
}

Task<shapes::DescribeAlarmsForMetricOutput> describe_alarms_for_metric(
    Service& service, wire::Context& context, const shapes::DescribeAlarmsForMetricInput& request) {
  const MetricId metric{.account = context.account,
                        .region = context.region,
                        .name_space = request.namespace_,
                        .name = request.metric_name,
                        .dimensions = dimensions_of(request.dimensions, "Dimensions")};
  const auto snapshot = service.store().snapshot();
  std::vector<std::string> names;
  co_await snapshot->scan(watches_range(metric), store::Direction::forward, [&](std::string_view key, std::string_view) {
    names.push_back(alarm_of_watch_key(key));
    return true;
  });
  const auto& statistic = request.statistic ? request.statistic : request.extended_statistic;
  shapes::DescribeAlarmsForMetricOutput out;
  out.metric_alarms.emplace();
  for (const std::string& name : names) {
    const auto alarm = co_await find_alarm(*snapshot, {context.account, context.region, name});
    if (!alarm || (statistic && alarm->statistic != *statistic) ||
        (request.period && alarm->period_seconds != *request.period) || (request.unit && alarm->unit != *request.unit)) {
      continue;
    }
    out.metric_alarms->push_back(describe(*alarm));
  }
  co_return out;
}

Task<shapes::DescribeAlarmHistoryOutput> describe_alarm_history(Service& service, wire::Context& context,
                                                                const shapes::DescribeAlarmHistoryInput& request) {
  shapes::DescribeAlarmHistoryOutput out;
  out.alarm_history_items.emplace();
  if (!asks_for_metric_alarms(request.alarm_types)) co_return out;
  const auto snapshot = service.store().snapshot();
  // Of several alarms they lie alarm by alarm; the answer is by time.
  struct Found {
    HistoryItem item;
    std::string key;
  };
  std::vector<Found> found;
  co_await snapshot->scan(
      history_range(context.account, context.region, request.alarm_name.value_or("")), store::Direction::forward,
      [&](std::string_view key, std::string_view value) {
        HistoryItem item = decode_history(key, value);
        const bool is_wanted = (!request.history_item_type || item.type == *request.history_item_type) &&
                               (!request.start_date || item.time >= *request.start_date) &&
                               (!request.end_date || item.time <= *request.end_date) &&
                               item.time >= context.now() - kHistoryKept;
        if (is_wanted) found.push_back({std::move(item), std::string(key)});
        return true;
      });
  std::ranges::sort(found, {}, [](const Found& one) { return std::tie(one.item.time, one.key); });
  if (request.scan_by != shapes::ScanBy::kTimestampAscending) std::ranges::reverse(found);
  auto from = found.begin();
  if (request.next_token) {
    const auto after = base::base64_decode(*request.next_token);
    from = std::ranges::find_if(found, [&](const Found& one) { return after && one.key == *after; });
    if (from == found.end()) throw invalid_next_token();
    ++from;
  }
  const auto limit = static_cast<size_t>(request.max_records.value_or(kHistoryByDefault));
  for (; from != found.end() && out.alarm_history_items->size() < limit; ++from) {
    out.alarm_history_items->push_back({.alarm_name = from->item.alarm,
                                        .alarm_type = std::string(shapes::AlarmType::kMetricAlarm),
                                        .timestamp = from->item.time,
                                        .history_item_type = from->item.type,
                                        .history_summary = from->item.summary,
                                        .history_data = from->item.data});
  }
  if (from != found.end() && from != found.begin()) out.next_token = base::base64_encode(std::prev(from)->key);
  co_return out;
}

}  // namespace tidemill::cloudwatch
