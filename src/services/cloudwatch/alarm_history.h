// What has happened to alarms: KeySpace::metric, 'h', string(account) string(region) string(alarm) i64(time)
// u32(count), JSON. Kept for 30 days (AWS shows no more); an alarm's items outlive it.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "services/cloudwatch/alarm.h"
#include "services/cloudwatch/composite_alarm.h"
#include "store/store.h"

namespace tidemill::cloudwatch {

inline constexpr base::Duration kHistoryKept = std::chrono::days(30);

struct HistoryItem {
  std::string alarm;
  std::string alarm_type;  // shapes::AlarmType
  base::Time time;
  std::string type;  // ConfigurationUpdate, StateUpdate, Action
  std::string summary;
  std::string data;  // JSON
};

// Whose history it is.
struct HistoryOwner {
  store::ResourceAddress address;
  std::string_view alarm_type = shapes::AlarmType::kMetricAlarm;
};

// Adds an item and drops the alarm's that are too old.
Task<void> add_history(store::Transaction& txn, HistoryOwner owner, base::Time now, std::string_view type,
                       std::string summary, std::string data);

// Of one alarm, or of an account's region if `alarm` is empty.
[[nodiscard]] store::Range history_range(std::string_view account, std::string_view region, std::string_view alarm);
[[nodiscard]] base::Time time_of_history_key(std::string_view key);
[[nodiscard]] HistoryItem decode_history(std::string_view key, std::string_view bytes);

// {"version":"1.0","oldState":…,"newState":…}
[[nodiscard]] std::string state_change_data(const AlarmState& before, const AlarmState& after);
[[nodiscard]] std::string configuration_data(std::string_view kind, const Alarm& alarm);
[[nodiscard]] std::string configuration_data(std::string_view kind, const CompositeAlarm& alarm);

}  // namespace tidemill::cloudwatch
