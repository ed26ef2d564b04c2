#include "services/cloudwatch/alarm_change.h"

#include "base/json_decimal.h"
#include "base/json_record.h"
#include "base/text.h"
#include "base/uuid.h"
#include "engine/targets/bus_target.h"
#include "engine/targets/senders.h"
#include "services/cloudwatch/alarm_history.h"
#include "services/cloudwatch/region_name.h"
#include "store/delivery.h"

namespace tidemill::cloudwatch {
namespace {

using namespace std::chrono_literals;
using base::cat;

constexpr std::string_view kTopicArn = "arn:aws:sns:";
constexpr std::string_view kFunctionArn = "arn:aws:lambda:";

std::string iso(base::Time time) { return base::iso_milliseconds(time) + "+0000"; }

void write_actions(json::Writer& writer, std::string_view name, const std::vector<std::string>& arns) {
  writer.key(name);
  writer.begin_array();
  for (const std::string& arn : arns) writer.string(arn);
  writer.end_array();
}

// "SAMPLE_COUNT" of "SampleCount".
std::string constant_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z' && !name.empty()) name.push_back('_');
    name.push_back(static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c));
  }
  return name;
}

// "Trigger" of what topics are told.
void write_trigger(json::Writer& writer, const Alarm& alarm) {
  writer.key("Trigger");
  writer.begin_object();
  json::write_member(writer, "MetricName", alarm.metric_name);
  json::write_member(writer, "Namespace", alarm.name_space);
  json::write_member(writer, "StatisticType", alarm.is_extended ? "ExtendedStatistic" : "Statistic");
  if (alarm.is_extended) json::write_member(writer, "ExtendedStatistic", alarm.statistic);
  else json::write_member(writer, "Statistic", constant_name(alarm.statistic));
  writer.key("Unit");
  if (alarm.unit.empty()) writer.null();
  else writer.string(alarm.unit);
  writer.key("Dimensions");
  writer.begin_array();
  for (const auto& [name, value] : alarm.dimensions) {
    writer.begin_object();
    json::write_member(writer, "value", value);
    json::write_member(writer, "name", name);
    writer.end_object();
  }
  writer.end_array();
  json::write_member(writer, "Period", int64_t{alarm.period_seconds});
  json::write_member(writer, "EvaluationPeriods", int64_t{alarm.evaluation_periods});
  if (alarm.datapoints_to_alarm) json::write_member(writer, "DatapointsToAlarm", int64_t{*alarm.datapoints_to_alarm});
  json::write_member(writer, "ComparisonOperator", alarm.comparison);
  writer.key("Threshold");
  json::write_decimal(writer, alarm.threshold);
  json::write_member(writer, "TreatMissingData", alarm.treat_missing_data);
  json::write_member(writer, "EvaluateLowSampleCountPercentile", "");
  writer.end_object();
}

std::string message_to_topic(const Alarm& alarm, const AlarmState& before, base::Time now) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "AlarmName", alarm.address.name);
  writer.key("AlarmDescription");
  if (alarm.has_description) writer.string(alarm.description);
  else writer.null();
  json::write_member(writer, "AWSAccountId", alarm.address.account);
  json::write_member(writer, "AlarmConfigurationUpdatedTimestamp", iso(alarm.configured));
  json::write_member(writer, "NewStateValue", alarm.state.value);
  json::write_member(writer, "NewStateReason", alarm.state.reason);
  json::write_member(writer, "StateChangeTime", iso(now));
  json::write_member(writer, "Region", region_name(alarm.address.region));
  json::write_member(writer, "AlarmArn", alarm.arn());
  json::write_member(writer, "OldStateValue", before.value);
  json::write_member(writer, "ActionExecutedAfterMuteWindow", false);
  write_actions(writer, "OKActions", alarm.ok_actions);
  write_actions(writer, "AlarmActions", alarm.alarm_actions);
  write_actions(writer, "InsufficientDataActions", alarm.insufficient_data_actions);
  write_trigger(writer, alarm);
  writer.end_object();
  return out;
}

// As SNS takes it: 100 characters that can be printed. The message has the alarm's whole name.
std::string subject_of(const Alarm& alarm) {
  constexpr size_t kSubjectSizeMax = 100;
  const std::string region = region_name(alarm.address.region);
  std::string subject = cat(alarm.state.value, ": \"", alarm.address.name, "\" in ", region).substr(0, kSubjectSizeMax);
  for (char& c : subject) {
    if (c < ' ' || c > '~') c = '?';
  }
  return subject;
}

std::string delivery_to_topic(const Alarm& alarm, const AlarmState& before, base::Time now) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "subject", subject_of(alarm));
  json::write_member(writer, "message", message_to_topic(alarm, before, now));
  writer.end_object();
  return out;
}

void write_state(json::Writer& writer, std::string_view name, const AlarmState& state) {
  writer.key(name);
  writer.begin_object();
  json::write_member(writer, "value", state.value);
  json::write_member(writer, "reason", state.reason);
  if (!state.reason_data.empty()) json::write_member(writer, "reasonData", state.reason_data);
  json::write_member(writer, "timestamp", iso(state.updated));
  writer.end_object();
}

// What functions and event buses are told of the change.
void write_alarm_data(json::Writer& writer, const Alarm& alarm, const AlarmState& before) {
  writer.begin_object();
  json::write_member(writer, "alarmName", alarm.address.name);
  write_state(writer, "state", alarm.state);
  write_state(writer, "previousState", before);
  writer.key("configuration");
  writer.begin_object();
  if (alarm.has_description) json::write_member(writer, "description", alarm.description);
  writer.key("metrics");
  writer.begin_array();
  writer.begin_object();
  json::write_member(writer, "id", base::new_uuid());
  writer.key("metricStat");
  writer.begin_object();
  writer.key("metric");
  writer.begin_object();
  json::write_member(writer, "namespace", alarm.name_space);
  json::write_member(writer, "name", alarm.metric_name);
  json::write_member(writer, "dimensions", json::TextMap(alarm.dimensions.begin(), alarm.dimensions.end()));
  writer.end_object();
  json::write_member(writer, "period", int64_t{alarm.period_seconds});
  json::write_member(writer, "stat", alarm.statistic);
  writer.end_object();
  json::write_member(writer, "returnData", true);
  writer.end_object();
  writer.end_array();
  writer.end_object();
  writer.end_object();
}

std::string event_detail(const Alarm& alarm, const AlarmState& before) {
  std::string out;
  json::Writer writer(out);
  write_alarm_data(writer, alarm, before);
  return out;
}

std::string event_to_function(const Alarm& alarm, const AlarmState& before, base::Time now) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "source", "aws.cloudwatch");
  json::write_member(writer, "alarmArn", alarm.arn());
  json::write_member(writer, "accountId", alarm.address.account);
  json::write_member(writer, "time", iso(now));
  json::write_member(writer, "region", alarm.address.region);
  writer.key("alarmData");
  write_alarm_data(writer, alarm, before);
  writer.end_object();
  return out;
}

// AWS tries actions again for a while; so do we, for an hour.
store::RetryPolicy action_policy() {
  return {.delays = {1s, 2s, 5s, 10s, 30s, 60s}, .attempts_max = 100, .age_max = 1h};
}

Task<void> act(store::Transaction& txn, const Alarm& alarm, const AlarmState& before, base::Time now) {
  for (const std::string& arn : alarm.actions_of(alarm.state.value)) {
    const bool is_topic = arn.starts_with(kTopicArn);
    store::Delivery delivery{.id = base::new_uuid(),
                             .target_kind = std::string(is_topic ? kTopicTarget : engine::kFunctionTarget),
                             .target = arn,
                             .payload = is_topic ? delivery_to_topic(alarm, before, now)
                                                 : event_to_function(alarm, before, now),
                             .policy = action_policy()};
    co_await store::enqueue_delivery(txn, std::move(delivery), now);
    co_await add_history(txn, alarm, now, shapes::HistoryItemType::kAction, cat("Started action ", arn),
                         R"({"actionState":"Started"})");
  }
}

}  // namespace

bool is_action(std::string_view arn) { return arn.starts_with(kTopicArn) || arn.starts_with(kFunctionArn); }

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
  co_await add_history(txn, alarm, now, shapes::HistoryItemType::kStateUpdate,
                       cat("Alarm updated from ", before.value, " to ", alarm.state.value),
                       state_change_data(before, alarm.state));
  co_await engine::tell_default_bus(txn, alarm.address.account, alarm.address.region, now, [&] {
    return engine::BusEvent{.source = "aws.cloudwatch",
                            .detail_type = "CloudWatch Alarm State Change",
                            .resource = alarm.arn(),
                            .detail = event_detail(alarm, before)};
  });
  if (alarm.actions_enabled) co_await act(txn, alarm, before, now);
}

}  // namespace tidemill::cloudwatch
