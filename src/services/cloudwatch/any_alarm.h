// What alarms of metrics and composite alarms have in common: they share their names, and are made, kept, shown and
// told alike but for what they look at.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "services/cloudwatch/alarm_state.h"
#include "store/resources.h"
#include "wire/context.h"
#include "wire/tags.h"

namespace tidemill::cloudwatch {

struct AnyAlarm {
  store::ResourceAddress address;
  std::string description;
  bool has_description = false;
  bool actions_enabled = true;
  std::vector<std::string> ok_actions;
  std::vector<std::string> alarm_actions;
  std::vector<std::string> insufficient_data_actions;
  base::Time configured;
  wire::TagMap tags;
  AlarmState state;

  [[nodiscard]] std::string arn() const;
};

[[nodiscard]] std::string arn_of_alarm(const store::ResourceAddress& address);

// Throws InvalidParameterValue for what is neither a topic nor a function; `name` is how the message calls them.
[[nodiscard]] std::vector<std::string> checked_actions(const std::optional<std::vector<std::string>>& actions,
                                                       std::string_view name);

// `tags` with those added. Throws InvalidParameterValue for keys of AWS's own, for those that repeat, for characters
// that tags cannot have and for too many.
[[nodiscard]] wire::TagMap with_tags(wire::TagMap tags, const std::vector<shapes::Tag>& added);

// An alarm of `Alarm`'s type, as far as requests to make one say the same for both types.
template <class Alarm, class Input>
[[nodiscard]] Alarm begin_alarm(const wire::Context& context, const Input& in) {
  Alarm alarm;
  alarm.address = {context.account, context.region, in.alarm_name};
  alarm.has_description = in.alarm_description.has_value();
  alarm.description = in.alarm_description.value_or("");
  alarm.actions_enabled = in.actions_enabled.value_or(true);
  alarm.ok_actions = checked_actions(in.ok_actions, "OKActions");
  alarm.alarm_actions = checked_actions(in.alarm_actions, "AlarmActions");
  alarm.insufficient_data_actions = checked_actions(in.insufficient_data_actions, "InsufficientDataActions");
  alarm.configured = context.now();
  if (in.tags) alarm.tags = with_tags({}, *in.tags);
  return alarm;
}

// What a new form of an alarm has of the one before; null: there was none, it begins.
void keep_of_before(AnyAlarm& alarm, const AnyAlarm* before);

// ---- How it is kept: the members in front of what it looks at, and those behind ----

inline constexpr auto kFirstAlarmMembers = [](auto& member, auto& alarm) {
  if (member.has("description", alarm.has_description)) member("description", alarm.description);
  member("actions_enabled", alarm.actions_enabled);
  member("ok_actions", alarm.ok_actions);
  member("alarm_actions", alarm.alarm_actions);
  member("insufficient_data_actions", alarm.insufficient_data_actions);
};

inline constexpr auto kLastAlarmMembers = [](auto& member, auto& alarm) {
  member("tags", alarm.tags);
  member("state", alarm.state.value);
  member("reason", alarm.state.reason);
  member("reason_data", alarm.state.reason_data);
  member("updated_us", alarm.state.updated);
  member("transitioned_us", alarm.state.transitioned);
};

// An alarm without more than its address, for what reads its members.
template <class Alarm>
[[nodiscard]] Alarm alarm_at(store::ResourceAddress address) {
  Alarm alarm;
  alarm.address = std::move(address);
  return alarm;
}

// ---- As the API answers it ----

template <class Shape>
[[nodiscard]] Shape describe_any(const AnyAlarm& alarm) {
  Shape out;
  out.alarm_name = alarm.address.name;
  out.alarm_arn = alarm.arn();
  if (alarm.has_description) out.alarm_description = alarm.description;
  out.alarm_configuration_updated_timestamp = alarm.configured;
  out.actions_enabled = alarm.actions_enabled;
  out.ok_actions = alarm.ok_actions;
  out.alarm_actions = alarm.alarm_actions;
  out.insufficient_data_actions = alarm.insufficient_data_actions;
  out.state_value = alarm.state.value;
  out.state_reason = alarm.state.reason;
  if (!alarm.state.reason_data.empty()) out.state_reason_data = alarm.state.reason_data;
  out.state_updated_timestamp = alarm.state.updated;
  out.state_transitioned_timestamp = alarm.state.transitioned;
  return out;
}

}  // namespace tidemill::cloudwatch
