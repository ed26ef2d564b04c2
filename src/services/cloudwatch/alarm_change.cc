#include "services/cloudwatch/alarm_change.h"

#include "base/json_decimal.h"
#include "base/json_record.h"
#include "base/text.h"
#include "services/cloudwatch/alarm_configuration.h"
#include "services/cloudwatch/alarm_history.h"
#include "services/cloudwatch/alarm_telling.h"
#include "services/cloudwatch/composite_watch.h"

namespace tidemill::cloudwatch {
namespace {

using base::cat;

// "SAMPLE_COUNT" of "SampleCount".
std::string constant_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z' && !name.empty()) name.push_back('_');
    name.push_back(static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c));
  }
  return name;
}

template <class Dimensions, class NameOf, class ValueOf>
void write_dimensions(json::Writer& writer, std::string_view name, const Dimensions& dimensions, NameOf name_of,
                      ValueOf value_of) {
  writer.key(name);
  writer.begin_array();
  for (const auto& dimension : dimensions) {
    writer.begin_object();
    json::write_member(writer, "value", value_of(dimension));
    json::write_member(writer, "name", name_of(dimension));
    writer.end_object();
  }
  writer.end_array();
}

void write_one_metric(json::Writer& writer, const Alarm& alarm) {
  json::write_member(writer, "MetricName", alarm.metric_name);
  json::write_member(writer, "Namespace", alarm.name_space);
  json::write_member(writer, "StatisticType", alarm.is_extended ? "ExtendedStatistic" : "Statistic");
  if (alarm.is_extended)
    json::write_member(writer, "ExtendedStatistic", alarm.statistic);
  else
    json::write_member(writer, "Statistic", constant_name(alarm.statistic));
  writer.key("Unit");
  if (alarm.unit.empty())
    writer.null();
  else
    writer.string(alarm.unit);
  write_dimensions(
      writer, "Dimensions", alarm.dimensions, [](const auto& one) { return one.first; },
      [](const auto& one) { return one.second; });
}

void write_queries(json::Writer& writer, const Alarm& alarm) {
  writer.key("Metrics");
  writer.begin_array();
  for (const shapes::MetricDataQuery& query : alarm.metrics) {
    writer.begin_object();
    if (query.expression) json::write_member(writer, "Expression", *query.expression);
    json::write_member(writer, "Id", query.id);
    if (query.label) json::write_member(writer, "Label", *query.label);
    if (query.metric_stat) {
      const shapes::MetricStat& stat = *query.metric_stat;
      writer.key("MetricStat");
      writer.begin_object();
      writer.key("Metric");
      writer.begin_object();
      write_dimensions(
          writer, "Dimensions", stat.metric.dimensions.value_or(std::vector<shapes::Dimension>{}),
          [](const shapes::Dimension& one) { return one.name; },
          [](const shapes::Dimension& one) { return one.value; });
      json::write_member(writer, "MetricName", stat.metric.metric_name.value_or(""));
      json::write_member(writer, "Namespace", stat.metric.namespace_.value_or(""));
      writer.end_object();
      json::write_member(writer, "Period", int64_t{stat.period});
      json::write_member(writer, "Stat", stat.stat);
      if (stat.unit) json::write_member(writer, "Unit", *stat.unit);
      writer.end_object();
    }
    json::write_member(writer, "ReturnData", query.return_data.value_or(true));
    writer.end_object();
  }
  writer.end_array();
}

// "Trigger" of what topics are told.
void write_trigger(json::Writer& writer, const Alarm& alarm) {
  writer.key("Trigger");
  writer.begin_object();
  if (!alarm.is_math()) write_one_metric(writer, alarm);
  json::write_member(writer, "Period", int64_t{alarm.period_seconds});
  json::write_member(writer, "EvaluationPeriods", int64_t{alarm.evaluation_periods});
  if (alarm.datapoints_to_alarm) json::write_member(writer, "DatapointsToAlarm", int64_t{*alarm.datapoints_to_alarm});
  json::write_member(writer, "ComparisonOperator", alarm.comparison);
  writer.key("Threshold");
  json::write_decimal(writer, alarm.threshold);
  json::write_member(writer, "TreatMissingData", alarm.treat_missing_data);
  json::write_member(writer, "EvaluateLowSampleCountPercentile", "");
  if (alarm.is_math()) write_queries(writer, alarm);
  writer.end_object();
}

// The alarm outlives it.
Telling telling_of(const Alarm& alarm, const AlarmState& before) {
  return {.alarm = alarm,
          .alarm_type = shapes::AlarmType::kMetricAlarm,
          .before = before,
          .write_for_topics = [&alarm](json::Writer& writer) { write_trigger(writer, alarm); },
          .write_configuration = [&alarm](json::Writer& writer) { write_metrics(writer, alarm); }};
}

}  // namespace

Task<void> change_state(store::Transaction& txn, Alarm& alarm, std::string value, std::string reason,
                        std::string reason_data, base::Time now) {
  const AlarmState before = alarm.state;
  const bool is_transition = before.value != value;
  alarm.state = {.value = std::move(value),
                 .reason = std::move(reason),
                 .reason_data = std::move(reason_data),
                 .updated = now,
                 .transitioned = is_transition ? now : before.transitioned};
  txn.put(alarm_key(alarm.address), encode_alarm(alarm));
  if (!is_transition) co_return;
  const Telling telling = telling_of(alarm, before);
  co_await add_history(txn, {alarm.address, telling.alarm_type}, now, shapes::HistoryItemType::kStateUpdate,
                       cat("Alarm updated from ", before.value, " to ", alarm.state.value),
                       state_change_data(before, alarm.state));
  co_await tell_bus(txn, telling, now);
  if (alarm.actions_enabled) co_await tell_actions(txn, telling, now);
  co_await evaluate_parents(txn, alarm.address, now);
}

}  // namespace tidemill::cloudwatch
