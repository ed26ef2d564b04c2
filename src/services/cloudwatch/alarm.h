// What an alarm is, and how it is kept: as a resource (account, region, "cloudwatch", "alarm", name). What it watches
// and its state stand in one record: an evaluation that finds the alarm changed has lost, and is made anew.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "services/cloudwatch/any_alarm.h"
#include "services/cloudwatch/metric.h"
#include "store/resources.h"
#include "store/store.h"
#include "store/timer.h"

namespace tidemill::cloudwatch {

inline constexpr store::ResourceType kAlarmType{"cloudwatch", "alarm"};

struct Alarm : AnyAlarm {
  // What it watches: queries, of which one returns data,
  std::vector<shapes::MetricDataQuery> metrics;
  // or one metric's statistic.
  std::string name_space;
  std::string metric_name;
  DimensionList dimensions;
  std::string statistic;  // "Average", "p99"
  bool is_extended = false;
  int period_seconds = 60;
  std::string unit;  // empty: any
  int evaluation_periods = 1;
  std::optional<int> datapoints_to_alarm;
  double threshold = 0;
  std::string comparison;
  std::string treat_missing_data;  // empty: "missing"

  [[nodiscard]] MetricId metric() const;
  [[nodiscard]] bool is_math() const { return !metrics.empty(); }
  [[nodiscard]] int datapoints() const { return datapoints_to_alarm.value_or(evaluation_periods); }
};

[[nodiscard]] std::string alarm_key(const store::ResourceAddress& address);
[[nodiscard]] std::string encode_alarm(const Alarm& alarm);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Alarm decode_alarm(store::ResourceAddress address, std::string_view bytes);

// Nothing: there is none. The read is tracked if `reader` is a transaction.
Task<std::optional<Alarm>> find_alarm(store::Snapshot& reader, store::ResourceAddress address);
// The same; throws ResourceNotFound.
Task<Alarm> get_alarm(store::Snapshot& reader, store::ResourceAddress address);

// As the API answers it.
[[nodiscard]] shapes::MetricAlarm describe(const Alarm& alarm);

// ---- Which alarms watch a metric ----

// Of the alarm, under each of its metrics; and all of a metric.
[[nodiscard]] std::vector<std::string> watch_keys(const Alarm& alarm);
[[nodiscard]] store::Range watches_range(const MetricId& metric);
[[nodiscard]] std::string alarm_of_watch_key(std::string_view key);

// ---- When an alarm is looked at next ----

// Id: the alarm's key.
inline constexpr store::TimerKind kEvaluationTimer{"cloudwatch-alarm"};

// At `due`, or earlier if that has been asked for already.
Task<void> evaluate_at(store::Transaction& txn, const store::ResourceAddress& address, base::Time due);

// After values have come to `metric` in periods of which the first begins at `time`: its alarms are looked at when that
// period of theirs has ended, and then as later ones end (end_of_coming_data).
Task<void> evaluate_watching(store::Transaction& txn, const MetricId& metric, base::Time time, base::Time now);

}  // namespace tidemill::cloudwatch
