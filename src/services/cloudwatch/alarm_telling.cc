#include "services/cloudwatch/alarm_telling.h"

#include "base/json_record.h"
#include "base/text.h"
#include "base/uuid.h"
#include "engine/targets/bus_target.h"
#include "services/cloudwatch/alarm_change.h"
#include "services/cloudwatch/alarm_history.h"
#include "services/cloudwatch/region_name.h"
#include "store/delivery.h"

namespace tidemill::cloudwatch {
namespace {

using namespace std::chrono_literals;
using base::cat;

std::string message_to_topic(const Telling& telling, base::Time now) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "AlarmName", telling.alarm.address.name);
  writer.key("AlarmDescription");
  if (telling.alarm.has_description)
    writer.string(telling.alarm.description);
  else
    writer.null();
  json::write_member(writer, "AWSAccountId", telling.alarm.address.account);
  json::write_member(writer, "AlarmConfigurationUpdatedTimestamp", iso(telling.alarm.configured));
  json::write_member(writer, "NewStateValue", telling.alarm.state.value);
  json::write_member(writer, "NewStateReason", telling.alarm.state.reason);
  json::write_member(writer, "StateChangeTime", iso(now));
  json::write_member(writer, "Region", region_name(telling.alarm.address.region));
  json::write_member(writer, "AlarmArn", telling.alarm.arn());
  json::write_member(writer, "OldStateValue", telling.before.value);
  json::write_member(writer, "ActionExecutedAfterMuteWindow", false);
  write_texts(writer, "OKActions", telling.alarm.ok_actions);
  write_texts(writer, "AlarmActions", telling.alarm.alarm_actions);
  write_texts(writer, "InsufficientDataActions", telling.alarm.insufficient_data_actions);
  telling.write_for_topics(writer);
  writer.end_object();
  return out;
}

// As SNS takes it: 100 characters that can be printed. The message has the alarm's whole name.
std::string subject_of(const Telling& telling) {
  constexpr size_t kSubjectSizeMax = 100;
  const std::string region = region_name(telling.alarm.address.region);
  std::string subject =
      cat(telling.alarm.state.value, ": \"", telling.alarm.address.name, "\" in ", region).substr(0, kSubjectSizeMax);
  for (char& c : subject) {
    if (c < ' ' || c > '~') c = '?';
  }
  return subject;
}

std::string delivery_to_topic(const Telling& telling, base::Time now) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "subject", subject_of(telling));
  json::write_member(writer, "message", message_to_topic(telling, now));
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
  if (!state.suppressed_by.empty()) {
    json::write_member(writer, "actionsSuppressedBy", state.suppressed_by);
    json::write_member(writer, "actionsSuppressedReason", state.suppressed_reason);
  }
  writer.end_object();
}

// What functions and event buses are told of the change.
void write_alarm_data(json::Writer& writer, const Telling& telling) {
  writer.begin_object();
  json::write_member(writer, "alarmName", telling.alarm.address.name);
  write_state(writer, "state", telling.alarm.state);
  write_state(writer, "previousState", telling.before);
  writer.key("configuration");
  writer.begin_object();
  if (telling.alarm.has_description) json::write_member(writer, "description", telling.alarm.description);
  telling.write_configuration(writer);
  writer.end_object();
  writer.end_object();
}

std::string event_detail(const Telling& telling) {
  std::string out;
  json::Writer writer(out);
  write_alarm_data(writer, telling);
  return out;
}

std::string event_to_function(const Telling& telling, base::Time now) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "source", "aws.cloudwatch");
  json::write_member(writer, "alarmArn", telling.alarm.arn());
  json::write_member(writer, "accountId", telling.alarm.address.account);
  json::write_member(writer, "time", iso(now));
  json::write_member(writer, "region", telling.alarm.address.region);
  writer.key("alarmData");
  write_alarm_data(writer, telling);
  writer.end_object();
  return out;
}

// AWS tries actions again for a while; so do we, for an hour.
store::RetryPolicy action_policy() {
  return {.delays = {1s, 2s, 5s, 10s, 30s, 60s}, .attempts_max = 100, .age_max = 1h};
}

}  // namespace

std::string iso(base::Time time) { return base::iso_milliseconds(time) + "+0000"; }

void write_texts(json::Writer& writer, std::string_view name, const std::vector<std::string>& texts) {
  writer.key(name);
  writer.begin_array();
  for (const std::string& text : texts) writer.string(text);
  writer.end_array();
}

const std::vector<std::string>& Telling::actions() const {
  if (alarm.state.value == shapes::StateValue::kOk) return alarm.ok_actions;
  return alarm.state.value == shapes::StateValue::kAlarm ? alarm.alarm_actions : alarm.insufficient_data_actions;
}

Task<void> tell_actions(store::Transaction& txn, const Telling& telling, base::Time now) {
  for (const std::string& arn : telling.actions()) {
    const bool is_topic = arn.starts_with(kTopicArn);
    store::Delivery delivery{.id = base::new_uuid(),
                             .target_kind = std::string(is_topic ? kTopicTarget : kFunctionTarget),
                             .target = arn,
                             .payload = is_topic ? delivery_to_topic(telling, now) : event_to_function(telling, now),
                             .policy = action_policy()};
    co_await store::enqueue_delivery(txn, std::move(delivery), now);
    co_await add_history(txn, {telling.alarm.address, telling.alarm_type}, now, shapes::HistoryItemType::kAction,
                         cat("Started action ", arn), R"({"actionState":"Started"})");
  }
}

Task<void> tell_bus(store::Transaction& txn, const Telling& telling, base::Time now) {
  co_await engine::tell_default_bus(txn, telling.alarm.address.account, telling.alarm.address.region, now, [&] {
    return engine::BusEvent{.source = "aws.cloudwatch",
                            .detail_type = "CloudWatch Alarm State Change",
                            .resource = telling.alarm.arn(),
                            .detail = event_detail(telling)};
  });
}

}  // namespace tidemill::cloudwatch
