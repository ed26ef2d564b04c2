#include "services/cloudwatch/alarm.h"

#include <algorithm>
#include <stdexcept>

#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/metric_keys.h"
#include "store/keys.h"

namespace tidemill::cloudwatch {
namespace {

constexpr char kWatch = 'a';

json::TextMap map_of(const DimensionList& dimensions) { return {dimensions.begin(), dimensions.end()}; }
DimensionList dimensions_of(const json::TextMap& map) { return {map.begin(), map.end()}; }

// Of a query, where there may be none.
json::TextMap map_of_dimensions(const std::vector<shapes::Dimension>& dimensions) {
  json::TextMap map;
  for (const shapes::Dimension& dimension : dimensions) map.emplace(dimension.name, dimension.value);
  return map;
}
std::vector<shapes::Dimension> dimensions_of_map(const json::TextMap& map) { return shown(dimensions_of(map)); }

constexpr auto kStatMembers = [](auto& member, auto& stat) {
  member("namespace", stat.metric.namespace_);
  member("metric_name", stat.metric.metric_name);
  member.as("dimensions", stat.metric.dimensions, map_of_dimensions, dimensions_of_map);
  member("period", stat.period);
  member("stat", stat.stat);
  member("unit", stat.unit);
};

constexpr auto kQueryMembers = [](auto& member, auto& query) {
  member("id", query.id);
  member("expression", query.expression);
  member("period", query.period);
  member("label", query.label);
  member("return_data", query.return_data);
  member.part("metric_stat", "alarm's metric", query.metric_stat, kStatMembers);
};

constexpr auto kAlarmMembers = [](auto& member, auto& alarm) {
  kFirstAlarmMembers(member, alarm);
  member("namespace", alarm.name_space);
  member("metric_name", alarm.metric_name);
  member.as("dimensions", alarm.dimensions, map_of, dimensions_of);
  member("statistic", alarm.statistic);
  member("is_extended", alarm.is_extended);
  member("period_seconds", alarm.period_seconds);
  member("unit", alarm.unit);
  member("evaluation_periods", alarm.evaluation_periods);
  member("datapoints_to_alarm", alarm.datapoints_to_alarm);
  member("threshold", alarm.threshold);
  member("comparison", alarm.comparison);
  member("treat_missing_data", alarm.treat_missing_data);
  member("configured_us", alarm.configured);
  member.list_unless_empty("metrics", "alarm's metrics", alarm.metrics, kQueryMembers);
  kLastAlarmMembers(member, alarm);
};

std::string watches_prefix(const MetricId& metric) {
  std::string key{static_cast<char>(store::KeySpace::metric), kWatch};
  // The metric's own key as one part, so that none is the beginning of another.
  base::append_string(key, series_key(metric));
  return key;
}

}  // namespace

MetricId Alarm::metric() const {
  return {.account = address.account,
          .region = address.region,
          .name_space = name_space,
          .name = metric_name,
          .dimensions = dimensions};
}

std::string alarm_key(const store::ResourceAddress& address) {
  return store::resource_key(kAlarmType, address.account, address.region, address.name);
}

std::string encode_alarm(const Alarm& alarm) { return json::encode(alarm, kAlarmMembers); }

Alarm decode_alarm(store::ResourceAddress address, std::string_view bytes) {
  return json::decode("alarm", bytes, kAlarmMembers, alarm_at<Alarm>(std::move(address)));
}

Task<std::optional<Alarm>> find_alarm(store::Snapshot& reader, store::ResourceAddress address) {
  const auto bytes = co_await reader.get(alarm_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_alarm(std::move(address), *bytes);
}

Task<Alarm> get_alarm(store::Snapshot& reader, store::ResourceAddress address) {
  auto alarm = co_await find_alarm(reader, address);
  if (!alarm) throw errors::resource_not_found(base::cat("Alarm ", address.name, " does not exist"));
  co_return *std::move(alarm);
}

shapes::MetricAlarm describe(const Alarm& alarm) {
  auto out = describe_any<shapes::MetricAlarm>(alarm);
  if (alarm.is_math()) {
    out.metrics = alarm.metrics;
  } else {
    out.metric_name = alarm.metric_name;
    out.namespace_ = alarm.name_space;
    (alarm.is_extended ? out.extended_statistic : out.statistic) = alarm.statistic;
    out.dimensions = shown(alarm.dimensions);
    out.period = alarm.period_seconds;
    if (!alarm.unit.empty()) out.unit = alarm.unit;
  }
  out.evaluation_periods = alarm.evaluation_periods;
  out.datapoints_to_alarm = alarm.datapoints_to_alarm;
  out.threshold = alarm.threshold;
  out.comparison_operator = alarm.comparison;
  if (!alarm.treat_missing_data.empty()) out.treat_missing_data = alarm.treat_missing_data;
  return out;
}

std::vector<std::string> watch_keys(const Alarm& alarm) {
  std::vector<MetricId> watched;
  if (!alarm.is_math()) watched.push_back(alarm.metric());
  for (const shapes::MetricDataQuery& query : alarm.metrics) {
    if (!query.metric_stat) continue;
    const shapes::Metric& metric = query.metric_stat->metric;
    watched.push_back({.account = alarm.address.account,
                       .region = alarm.address.region,
                       .name_space = metric.namespace_.value_or(""),
                       .name = metric.metric_name.value_or(""),
                       .dimensions = dimensions_of(metric.dimensions, "Dimensions")});
  }
  std::vector<std::string> keys;
  for (const MetricId& metric : watched) {
    base::append_fixed(keys.emplace_back(watches_prefix(metric)), alarm.address.name);
  }
  return keys;
}

store::Range watches_range(const MetricId& metric) { return store::Range::prefix(watches_prefix(metric)); }

std::string alarm_of_watch_key(std::string_view key) {
  base::OrderedReader reader(key.substr(2));
  (void)reader.string();
  return std::string(reader.rest());
}

Task<void> evaluate_at(store::Transaction& txn, const store::ResourceAddress& address, base::Time due) {
  const std::string id = alarm_key(address);
  const auto before = co_await store::timer_due(txn, kEvaluationTimer, id);
  if (before && *before <= due) co_return;
  co_await store::set_timer(txn, {.kind = std::string(kEvaluationTimer.name), .id = id, .due = due});
}

Task<void> evaluate_watching(store::Transaction& txn, const MetricId& metric, base::Time time, base::Time now) {
  std::vector<std::string> names;
  co_await txn.scan(watches_range(metric), store::Direction::forward, [&](std::string_view key, std::string_view) {
    names.push_back(alarm_of_watch_key(key));
    return true;
  });
  for (const std::string& name : names) {
    const store::ResourceAddress address{metric.account, metric.region, name};
    const auto alarm = co_await find_alarm(txn, address);
    if (!alarm) continue;
    const int64_t period = alarm->period_seconds;
    const int64_t seconds = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
    const base::Time period_end{std::chrono::seconds((seconds / period + 1) * period)};
    co_await evaluate_at(txn, address, std::max(now, period_end));
  }
}

}  // namespace tidemill::cloudwatch
