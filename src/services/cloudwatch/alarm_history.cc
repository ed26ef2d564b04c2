#include "services/cloudwatch/alarm_history.h"

#include "base/json_decimal.h"
#include "base/json_record.h"
#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::cloudwatch {
namespace {

constexpr char kHistory = 'h';
constexpr size_t kTimeAndCountBytes = sizeof(int64_t) + sizeof(uint32_t);  // that a key ends with

void write_state(json::Writer& writer, std::string_view name, const AlarmState& state) {
  writer.key(name);
  writer.begin_object();
  json::write_member(writer, "stateValue", state.value);
  json::write_member(writer, "stateReason", state.reason);
  if (const auto data = json::parse(state.reason_data)) {
    writer.key("stateReasonData");
    writer.value(*data);
  }
  writer.end_object();
}

}  // namespace

store::Range history_range(std::string_view account, std::string_view region, std::string_view alarm) {
  std::string key{static_cast<char>(store::KeySpace::metric), kHistory};
  base::append_string(key, account);
  base::append_string(key, region);
  if (!alarm.empty()) base::append_string(key, alarm);
  return store::Range::prefix(key);
}

Task<void> add_history(store::Transaction& txn, HistoryOwner owner, base::Time now, std::string_view type,
                       std::string summary, std::string data) {
  const store::Range all = history_range(owner.address.account, owner.address.region, owner.address.name);
  const auto key_at = [&](base::Time time) {
    std::string key = all.begin;
    base::append_i64(key, time.time_since_epoch().count());
    return key;
  };
  // Items of one time are told apart by their number.
  std::string key;
  for (uint32_t count = 0;; ++count) {
    key = key_at(now);
    base::append_u32(key, count);
    if (!co_await txn.get(key)) break;
  }
  std::string record;
  json::Writer writer(record);
  writer.begin_object();
  json::write_member(writer, "type", type);
  json::write_member(writer, "summary", summary);
  json::write_member(writer, "data", data);
  if (owner.alarm_type != shapes::AlarmType::kMetricAlarm) json::write_member(writer, "alarm_type", owner.alarm_type);
  writer.end_object();
  txn.put(key, record);
  const store::Range outlived{all.begin, key_at(now - kHistoryKept)};
  bool is_any = false;
  co_await txn.scan_untracked(outlived, store::first(1),
                              [&](std::string_view, std::string_view) { return is_any = true; });
  if (is_any) txn.erase_range(outlived);
}

base::Time time_of_history_key(std::string_view key) {
  base::OrderedReader reader(key.substr(key.size() - kTimeAndCountBytes));
  return base::Time(base::Duration(reader.i64()));
}

HistoryItem decode_history(std::string_view key, std::string_view bytes) {
  base::OrderedReader reader(key.substr(2));
  (void)reader.string();
  (void)reader.string();
  const json::Record record("alarm history item", bytes);
  HistoryItem item;
  item.alarm = reader.string();
  item.time = time_of_history_key(key);
  item.type = record.text("type");
  item.summary = record.text("summary");
  item.data = record.text("data");
  item.alarm_type = record.find_text("alarm_type").value_or(std::string(shapes::AlarmType::kMetricAlarm));
  return item;
}

std::string state_change_data(const AlarmState& before, const AlarmState& after) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "version", "1.0");
  write_state(writer, "oldState", before);
  write_state(writer, "newState", after);
  writer.end_object();
  return out;
}

namespace {

// {"version":"1.0","type":"Create","createdAlarm":{"alarmName":…, and what `write` writes.
std::string configuration(std::string_view kind, std::string_view name,
                          const std::function<void(json::Writer&)>& write) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "version", "1.0");
  json::write_member(writer, "type", kind);
  writer.key(kind == "Create" ? "createdAlarm" : kind == "Update" ? "updatedAlarm" : "deletedAlarm");
  writer.begin_object();
  json::write_member(writer, "alarmName", name);
  write(writer);
  writer.end_object();
  writer.end_object();
  return out;
}

}  // namespace

std::string configuration_data(std::string_view kind, const Alarm& alarm) {
  return configuration(kind, alarm.address.name, [&](json::Writer& writer) {
    if (!alarm.is_math()) {
      json::write_member(writer, "namespace", alarm.name_space);
      json::write_member(writer, "metricName", alarm.metric_name);
      json::write_member(writer, "statistic", alarm.statistic);
    }
    json::write_member(writer, "period", int64_t{alarm.period_seconds});
    json::write_member(writer, "evaluationPeriods", int64_t{alarm.evaluation_periods});
    writer.key("threshold");
    json::write_decimal(writer, alarm.threshold);
    json::write_member(writer, "comparisonOperator", alarm.comparison);
  });
}

std::string configuration_data(std::string_view kind, const CompositeAlarm& alarm) {
  return configuration(kind, alarm.address.name,
                       [&](json::Writer& writer) { json::write_member(writer, "alarmRule", alarm.rule); });
}

}  // namespace tidemill::cloudwatch
