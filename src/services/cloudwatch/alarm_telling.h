// Who is told of an alarm's change: its actions, which are topics and functions, and the default bus. All become
// deliveries in the transaction that changes the state.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "services/cloudwatch/any_alarm.h"
#include "store/store.h"

namespace tidemill::cloudwatch {

// Whom an action may be.
inline constexpr std::string_view kTopicArn = "arn:aws:sns:";
inline constexpr std::string_view kFunctionArn = "arn:aws:lambda:";

// "2026-03-14T00:00:00.000+0000"
[[nodiscard]] std::string iso(base::Time time);

// A member with an array of texts.
void write_texts(json::Writer& writer, std::string_view name, const std::vector<std::string>& texts);

// What is told beside the state: members of the object that the writer has begun.
using WriteMembers = std::function<void(json::Writer& writer)>;

// A change of state of an alarm, of metrics or composite; the alarm outlives it.
struct Telling {
  const AnyAlarm& alarm;  // as it is now
  std::string_view alarm_type;  // shapes::AlarmType
  AlarmState before;
  WriteMembers write_for_topics;     // "Trigger", say
  WriteMembers write_configuration;  // for functions and buses

  [[nodiscard]] const std::vector<std::string>& actions() const;  // those of the state
};

// Its actions, and a line in the alarm's history for each.
Task<void> tell_actions(store::Transaction& txn, const Telling& telling, base::Time now);
Task<void> tell_bus(store::Transaction& txn, const Telling& telling, base::Time now);

}  // namespace tidemill::cloudwatch
