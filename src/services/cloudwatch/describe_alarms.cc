// Shows alarms, those of a metric, and what has happened to them.
#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "services/cloudwatch/alarm.h"
#include "services/cloudwatch/alarm_history.h"
#include "services/cloudwatch/composite_alarm.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/operations.h"

namespace tidemill::cloudwatch {
namespace {

constexpr size_t kRecordsByDefault = 50;
constexpr size_t kHistoryByDefault = 100;

// Without types, alarms of metrics are meant.
bool asks_for(const std::optional<std::vector<std::string>>& types, std::string_view type) {
  if (!types || types->empty()) return type == shapes::AlarmType::kMetricAlarm;
  return std::ranges::find(*types, type) != types->end();
}

bool has_action(const AnyAlarm& alarm, const std::string& prefix) {
  for (const auto* list : {&alarm.ok_actions, &alarm.alarm_actions, &alarm.insufficient_data_actions}) {
    if (std::ranges::any_of(*list, [&](const std::string& arn) { return arn.starts_with(prefix); })) return true;
  }
  return false;
}

bool is_wanted(const AnyAlarm& alarm, const shapes::DescribeAlarmsInput& request) {
  if (request.alarm_names && !request.alarm_names->empty() &&
      std::ranges::find(*request.alarm_names, alarm.address.name) == request.alarm_names->end()) {
    return false;
  }
  if (!alarm.address.name.starts_with(request.alarm_name_prefix.value_or(""))) return false;
  if (request.state_value && alarm.state.value != *request.state_value) return false;
  return !request.action_prefix || has_action(alarm, *request.action_prefix);
}

// The key that a page ended with.
std::string key_after(const std::string& token, const wire::Context& context) {
  auto after = base::base64_decode(token);
  const auto is_in = [&](store::ResourceType type) {
    const store::Range range = store::resources_range(type, context.account, context.region);
    return *after >= range.begin && *after < range.end;
  };
  if (!after || (!is_in(kAlarmType) && !is_in(kCompositeAlarmType))) throw invalid_next_token();
  return *std::move(after);
}

// The alarms that a composite alarm asks about, or those that ask about an alarm; with less than all that is known of
// them, as on AWS.
Task<shapes::DescribeAlarmsOutput> describe_relatives(Service& service, wire::Context& context,
                                                      const shapes::DescribeAlarmsInput& request) {
  if ((request.children_of_alarm_name && request.parents_of_alarm_name) || request.alarm_names ||
      request.alarm_name_prefix || request.state_value || request.action_prefix) {
    throw errors::invalid_parameter_combination_exception(
        "ChildrenOfAlarmName and ParentsOfAlarmName go with no other parameters than AlarmTypes, MaxRecords and "
        "NextToken.");
  }
  const bool are_children = request.children_of_alarm_name.has_value();
  const store::ResourceAddress of{context.account, context.region,
                                  are_children ? *request.children_of_alarm_name : *request.parents_of_alarm_name};
  const auto snapshot = service.store().snapshot();
  std::set<std::string> names;
  if (are_children) {
    const auto composite = co_await find_composite(*snapshot, of);
    if (composite) names = composite->watched();
  } else {
    co_await snapshot->scan(parents_range(of), store::Direction::forward, [&](std::string_view key, std::string_view) {
      names.insert(parent_of_key(key));
      return true;
    });
  }
  const auto after = request.next_token ? base::base64_decode(*request.next_token) : std::string();
  if (!after) throw invalid_next_token();
  const auto limit = static_cast<size_t>(request.max_records.value_or(kRecordsByDefault));
  shapes::DescribeAlarmsOutput out;
  out.metric_alarms.emplace();
  out.composite_alarms.emplace();
  std::string last;
  const auto is_asked = [&](std::string_view type) {  // without types both are
    return !request.alarm_types || request.alarm_types->empty() || asks_for(request.alarm_types, type);
  };
  for (auto name = names.upper_bound(*after); name != names.end(); ++name) {
    if (out.metric_alarms->size() + out.composite_alarms->size() == limit) {
      out.next_token = base::base64_encode(last);
      break;
    }
    const store::ResourceAddress address{context.account, context.region, *name};
    const auto show = [&](const AlarmState& state, auto& list) {
      auto& shown = list.emplace_back();
      shown.alarm_name = address.name;
      shown.alarm_arn = arn_of_alarm(address);
      if (!are_children) return;
      shown.state_value = state.value;
      shown.state_updated_timestamp = state.updated;
    };
    if (const auto alarm = co_await find_alarm(*snapshot, address)) {
      if (is_asked(shapes::AlarmType::kMetricAlarm)) show(alarm->state, *out.metric_alarms);
    } else if (const auto composite = co_await find_composite(*snapshot, address)) {
      if (is_asked(shapes::AlarmType::kCompositeAlarm)) show(composite->state, *out.composite_alarms);
    }
    last = *name;
  }
  co_return out;
}

struct FoundItem {
  HistoryItem item;
  std::string key;
};

// What histories are in order of: the time, and for those of one time the key.
using HistoryPlace = std::pair<base::Time, std::string_view>;

HistoryPlace place_in_history(std::string_view key) { return {time_of_history_key(key), key}; }
HistoryPlace place_of(const FoundItem& found) { return {found.item.time, found.key}; }

// The key that a page of the history in `range` ended with; it must still be there.
Task<std::string> history_key_after(store::Snapshot& snapshot, const store::Range& range, const std::string& token) {
  auto after = base::base64_decode(token);
  if (!after || *after < range.begin || *after >= range.end || !co_await snapshot.get(*after)) {
    throw invalid_next_token();
  }
  co_return *std::move(after);
}

}  // namespace

Task<shapes::DescribeAlarmsOutput> describe_alarms(Service& service, wire::Context& context,
                                                   const shapes::DescribeAlarmsInput& request) {
  if (request.alarm_names && request.alarm_name_prefix) {
    throw errors::invalid_parameter_combination_exception(
        "The parameters AlarmNames and AlarmNamePrefix are mutually exclusive and you have specified both.");
  }
  if (request.children_of_alarm_name || request.parents_of_alarm_name) {
    co_return co_await describe_relatives(service, context, request);
  }
  shapes::DescribeAlarmsOutput out;
  out.metric_alarms.emplace();
  out.composite_alarms.emplace();
  const auto limit = static_cast<size_t>(request.max_records.value_or(kRecordsByDefault));
  const auto snapshot = service.store().snapshot();
  std::string last;
  // Those of one type behind those of the other, so that one token does for both.
  for (const store::ResourceType type : {kAlarmType, kCompositeAlarmType}) {
    const bool is_composite = type.type == kCompositeAlarmType.type;
    if (!asks_for(request.alarm_types,
                  is_composite ? shapes::AlarmType::kCompositeAlarm : shapes::AlarmType::kMetricAlarm)) {
      continue;
    }
    store::Range range = store::resources_range(type, context.account, context.region);
    if (request.next_token) {
      const std::string after = key_after(*request.next_token, context);
      if (after >= range.end) continue;
      range.begin = std::max(range.begin, after + '\0');
    }
    co_await snapshot->scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
      auto address = store::resource_of_key(type, key);
      if (!address) return true;
      const auto show = [&](const auto& alarm, auto& list) {
        if (!is_wanted(alarm, request)) return true;
        if (out.metric_alarms->size() + out.composite_alarms->size() == limit) {
          out.next_token = base::base64_encode(last);
          return false;
        }
        list.push_back(describe(alarm));
        last = key;
        return true;
      };
      if (is_composite) return show(decode_composite(*std::move(address), value), *out.composite_alarms);
      return show(decode_alarm(*std::move(address), value), *out.metric_alarms);
    });
    if (out.next_token) break;
  }
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
  co_await snapshot->scan(watches_range(metric), store::Direction::forward,
                          [&](std::string_view key, std::string_view) {
                            names.push_back(alarm_of_watch_key(key));
                            return true;
                          });
  const auto& statistic = request.statistic ? request.statistic : request.extended_statistic;
  shapes::DescribeAlarmsForMetricOutput out;
  out.metric_alarms.emplace();
  for (const std::string& name : names) {
    const auto alarm = co_await find_alarm(*snapshot, {context.account, context.region, name});
    if (!alarm || alarm->is_math() || (statistic && alarm->statistic != *statistic) ||
        (request.period && alarm->period_seconds != *request.period) ||
        (request.unit && alarm->unit != *request.unit)) {
      continue;
    }
    out.metric_alarms->push_back(describe(*alarm));
  }
  co_return out;
}

Task<shapes::DescribeAlarmHistoryOutput> describe_alarm_history(Service& service, wire::Context& context,
                                                                const shapes::DescribeAlarmHistoryInput& request) {
  const bool is_ascending = request.scan_by == shapes::ScanBy::kTimestampAscending;
  const auto is_before = [&](const HistoryPlace& one, const HistoryPlace& other) {
    return is_ascending ? one < other : other < one;
  };
  const base::Time kept_since = context.now() - kHistoryKept;
  const base::Time since = std::max(kept_since, request.start_date.value_or(kept_since));
  const base::Time until = request.end_date.value_or(base::Time::max());
  const auto limit = static_cast<size_t>(request.max_records.value_or(kHistoryByDefault));
  const bool is_of_one = request.alarm_name && !request.alarm_name->empty();
  store::Range range = history_range(context.account, context.region, request.alarm_name.value_or(""));
  const auto snapshot = service.store().snapshot();
  std::optional<std::string> after;
  if (request.next_token) {
    after = co_await history_key_after(*snapshot, range, *request.next_token);
    if (is_of_one && is_ascending) range.begin = *after + '\0';
    if (is_of_one && !is_ascending) range.end = *after;
  }
  // The items of one alarm lie by time; those of several alarm by alarm, and there may be millions: no more of them are
  // kept than fill the page and show that it is not the last. A heap, with the one that comes last in front.
  std::vector<FoundItem> found;
  co_await snapshot->scan(range, is_ascending ? store::Direction::forward : store::Direction::reverse,
                          [&](std::string_view key, std::string_view value) {
                            const HistoryPlace place = place_in_history(key);
                            if (place.first < since || place.first > until) return true;
                            if (after && !is_before(place_in_history(*after), place)) return true;
                            const bool is_full = found.size() > limit;
                            if (is_full && !is_before(place, place_of(found.front()))) return !is_of_one;
                            HistoryItem item = decode_history(key, value);
                            if (!asks_for(request.alarm_types, item.alarm_type) ||
                                (request.history_item_type && item.type != *request.history_item_type)) {
                              return true;
                            }
                            if (is_full) {
                              std::ranges::pop_heap(found, is_before, place_of);
                              found.pop_back();
                            }
                            found.push_back({std::move(item), std::string(key)});
                            std::ranges::push_heap(found, is_before, place_of);
                            return true;
                          });
  std::ranges::sort_heap(found, is_before, place_of);
  shapes::DescribeAlarmHistoryOutput out;
  out.alarm_history_items.emplace();
  if (found.size() > limit) {
    found.pop_back();
    out.next_token = base::base64_encode(found.back().key);
  }
  for (FoundItem& one : found) {
    out.alarm_history_items->push_back({.alarm_name = std::move(one.item.alarm),
                                        .alarm_type = std::move(one.item.alarm_type),
                                        .timestamp = one.item.time,
                                        .history_item_type = std::move(one.item.type),
                                        .history_summary = std::move(one.item.summary),
                                        .history_data = std::move(one.item.data)});
  }
  co_return out;
}

}  // namespace tidemill::cloudwatch
