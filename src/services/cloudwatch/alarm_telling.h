// Who is told of an alarm's change: its actions, which are topics and functions, and the default bus. All become
// deliveries in the transaction that changes the state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "services/cloudwatch/alarm_state.h"
#include "store/resources.h"
#include "store/store.h"

namespace tidemill::cloudwatch {

// "2026-03-14T00:00:00.000+0000"
[[nodiscard]] std::string iso(base::Time time);

// A member with an array of texts.
void write_texts(json::Writer& writer, std::string_view name, const std::vector<std::string>& texts);

// What is told beside the state: members of the object that the writer has begun.
using WriteMembers = std::function<void(json::Writer& writer)>;

// An alarm, of metrics or composite, as far as all of them are told alike.
struct Telling {
  store::ResourceAddress address;
  std::string_view alarm_type;  // shapes::AlarmType
  std::string arn;
  const std::string* description = nullptr;  // null: none
  base::Time configured;
  const std::vector<std::string>* ok_actions = nullptr;
  const std::vector<std::string>* alarm_actions = nullptr;
  const std::vector<std::string>* insufficient_data_actions = nullptr;
  AlarmState state;
  AlarmState before;
  WriteMembers write_for_topics;     // "Trigger", say
  WriteMembers write_configuration;  // for functions and buses

  [[nodiscard]] const std::vector<std::string>& actions() const;  // those of the state
};

// What alarms of both types have; the alarm outlives it.
template <class AnyAlarm>
[[nodiscard]] Telling begin_telling(const AnyAlarm& alarm, std::string_view alarm_type, const AlarmState& before) {
  return {.address = alarm.address,
          .alarm_type = alarm_type,
          .arn = alarm.arn(),
          .description = alarm.has_description ? &alarm.description : nullptr,
          .configured = alarm.configured,
          .ok_actions = &alarm.ok_actions,
          .alarm_actions = &alarm.alarm_actions,
          .insufficient_data_actions = &alarm.insufficient_data_actions,
          .state = alarm.state,
          .before = before};
}

// Its actions, and a line in the alarm's history for each.
Task<void> tell_actions(store::Transaction& txn, const Telling& telling, base::Time now);
Task<void> tell_bus(store::Transaction& txn, const Telling& telling, base::Time now);

}  // namespace tidemill::cloudwatch
