#include "services/cloudwatch/alarm_configuration.h"

#include "base/json_decimal.h"
#include "base/json_record.h"
#include "base/text.h"
#include "base/uuid.h"
#include "crypto/digest.h"
#include "engine/targets/bus_target.h"
#include "services/cloudwatch/alarm_history.h"
#include "services/cloudwatch/alarm_telling.h"

namespace tidemill::cloudwatch {
namespace {

using base::cat;

void write_metric(json::Writer& writer, std::string_view name_space, std::string_view name, json::TextMap dimensions,
                  int period, std::string_view statistic) {
  writer.key("metricStat");
  writer.begin_object();
  writer.key("metric");
  writer.begin_object();
  json::write_member(writer, "namespace", name_space);
  json::write_member(writer, "name", name);
  json::write_member(writer, "dimensions", dimensions);
  writer.end_object();
  json::write_member(writer, "period", int64_t{period});
  json::write_member(writer, "stat", statistic);
  writer.end_object();
}

// Of the metric of an alarm without expressions, which names none: the same whenever the alarm looks at the same.
std::string id_of_metric(const Alarm& alarm) {
  std::string parts;
  const auto add = [&](std::string_view part) { parts.append(part).push_back('\0'); };
  add(alarm.arn());
  add(alarm.name_space);
  add(alarm.metric_name);
  for (const auto& [name, value] : alarm.dimensions) {
    add(name);
    add(value);
  }
  add(std::to_string(alarm.period_seconds));
  add(alarm.statistic);
  return base::uuid_text(crypto::sha256(parts));
}

}  // namespace

void write_metrics(json::Writer& writer, const Alarm& alarm) {
  writer.key("metrics");
  writer.begin_array();
  if (!alarm.is_math()) {
    writer.begin_object();
    json::write_member(writer, "id", id_of_metric(alarm));
    write_metric(writer, alarm.name_space, alarm.metric_name, {alarm.dimensions.begin(), alarm.dimensions.end()},
                 alarm.period_seconds, alarm.statistic);
    json::write_member(writer, "returnData", true);
    writer.end_object();
  }
  for (const shapes::MetricDataQuery& query : alarm.metrics) {
    writer.begin_object();
    json::write_member(writer, "id", query.id);
    if (query.expression) json::write_member(writer, "expression", *query.expression);
    if (query.label) json::write_member(writer, "label", *query.label);
    if (query.metric_stat) {
      const shapes::MetricStat& stat = *query.metric_stat;
      json::TextMap dimensions;
      for (const shapes::Dimension& one : stat.metric.dimensions.value_or(std::vector<shapes::Dimension>{})) {
        dimensions.emplace(one.name, one.value);
      }
      write_metric(writer, stat.metric.namespace_.value_or(""), stat.metric.metric_name.value_or(""),
                   std::move(dimensions), stat.period, stat.stat);
    }
    json::write_member(writer, "returnData", query.return_data.value_or(true));
    writer.end_object();
  }
  writer.end_array();
}

void write_rule(json::Writer& writer, const CompositeAlarm& alarm) {
  json::write_member(writer, "alarmRule", alarm.rule);
  if (alarm.suppressor.empty()) return;
  json::write_member(writer, "actionsSuppressor", alarm.suppressor);
  json::write_member(writer, "actionsSuppressorWaitPeriod", int64_t{alarm.wait_seconds});
  json::write_member(writer, "actionsSuppressorExtensionPeriod", int64_t{alarm.extension_seconds});
}

namespace {

std::string_view type_of(const Alarm&) { return shapes::AlarmType::kMetricAlarm; }
std::string_view type_of(const CompositeAlarm&) { return shapes::AlarmType::kCompositeAlarm; }

void write_looked_at(json::Writer& writer, const Alarm& alarm) {
  json::write_member(writer, "evaluationPeriods", int64_t{alarm.evaluation_periods});
  if (alarm.datapoints_to_alarm) json::write_member(writer, "datapointsToAlarm", int64_t{*alarm.datapoints_to_alarm});
  writer.key("threshold");
  json::write_decimal(writer, alarm.threshold);
  json::write_member(writer, "comparisonOperator", alarm.comparison);
  if (!alarm.treat_missing_data.empty()) json::write_member(writer, "treatMissingData", alarm.treat_missing_data);
  write_metrics(writer, alarm);
}
void write_looked_at(json::Writer& writer, const CompositeAlarm& alarm) { write_rule(writer, alarm); }

template <class Any>
void write_configuration(json::Writer& writer, std::string_view name, const Any& alarm) {
  writer.key(name);
  writer.begin_object();
  write_looked_at(writer, alarm);
  json::write_member(writer, "alarmName", alarm.address.name);
  if (alarm.has_description) json::write_member(writer, "description", alarm.description);
  json::write_member(writer, "actionsEnabled", alarm.actions_enabled);
  json::write_member(writer, "timestamp", iso(alarm.configured));
  write_texts(writer, "okActions", alarm.ok_actions);
  write_texts(writer, "alarmActions", alarm.alarm_actions);
  write_texts(writer, "insufficientDataActions", alarm.insufficient_data_actions);
  writer.end_object();
}

// "detail" of the event; of the state it has no reasons.
template <class Any>
std::string event_detail(std::string_view operation, const Any& alarm, const Any* before) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "alarmName", alarm.address.name);
  json::write_member(writer, "operation", operation);
  writer.key("state");
  writer.begin_object();
  if (!alarm.state.suppressed_by.empty()) {
    json::write_member(writer, "actionsSuppressedBy", alarm.state.suppressed_by);
  }
  json::write_member(writer, "value", alarm.state.value);
  json::write_member(writer, "timestamp", iso(alarm.state.updated));
  writer.end_object();
  write_configuration(writer, "configuration", alarm);
  if (before) write_configuration(writer, "previousConfiguration", *before);
  writer.end_object();
  return out;
}

struct Change {
  std::string_view operation;  // of the event
  std::string_view kind;       // of the history's document
  std::string_view verb;       // of its summary
};
constexpr Change kCreate{"create", "Create", "created"};
constexpr Change kUpdate{"update", "Update", "updated"};
constexpr Change kDelete{"delete", "Delete", "deleted"};

template <class Any>
Task<void> note(store::Transaction& txn, Change change, const Any& alarm, const Any* before, base::Time now) {
  co_await add_history(txn, {alarm.address, type_of(alarm)}, now, shapes::HistoryItemType::kConfigurationUpdate,
                       cat("Alarm \"", alarm.address.name, "\" ", change.verb), configuration_data(change.kind, alarm));
  co_await engine::tell_default_bus(txn, alarm.address.account, alarm.address.region, now, [&] {
    return engine::BusEvent{.source = "aws.cloudwatch",
                            .detail_type = "CloudWatch Alarm Configuration Change",
                            .resource = alarm.arn(),
                            .detail = event_detail(change.operation, alarm, before)};
  });
}

}  // namespace

Task<void> note_configuration(store::Transaction& txn, const Alarm& alarm, const Alarm* before, base::Time now) {
  co_await note(txn, before ? kUpdate : kCreate, alarm, before, now);
}
Task<void> note_configuration(store::Transaction& txn, const CompositeAlarm& alarm, const CompositeAlarm* before,
                              base::Time now) {
  co_await note(txn, before ? kUpdate : kCreate, alarm, before, now);
}
Task<void> note_deletion(store::Transaction& txn, const Alarm& alarm, base::Time now) {
  co_await note<Alarm>(txn, kDelete, alarm, nullptr, now);
}
Task<void> note_deletion(store::Transaction& txn, const CompositeAlarm& alarm, base::Time now) {
  co_await note<CompositeAlarm>(txn, kDelete, alarm, nullptr, now);
}

}  // namespace tidemill::cloudwatch
