// What a composite alarm is, and how it is kept: as a resource (account, region, "cloudwatch", "composite-alarm",
// name). It asks about others by a rule (lang/alarms/alarm_rule.h), and is looked at whenever one of these changes.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "services/cloudwatch/any_alarm.h"
#include "services/cloudwatch/composite_watch.h"

namespace tidemill::cloudwatch {

struct CompositeAlarm : AnyAlarm {
  std::string rule;
  // While this alarm, by name or ARN, is in ALARM, nobody is told; empty: none.
  std::string suppressor;
  int wait_seconds = 0;       // for the suppressor to go to ALARM
  int extension_seconds = 0;  // after it has left it
  // The actions of the state have not happened: until then, unless the suppressor says otherwise.
  bool is_held = false;
  std::optional<base::Time> held_until;  // nothing: as long as the suppressor is in ALARM

  // Names of all that it asks about, the suppressor too.
  [[nodiscard]] std::set<std::string> watched() const;
};

// The name of an alarm of this account and region that is given by name or by ARN.
[[nodiscard]] std::string name_of_alarm(const store::ResourceAddress& asking, std::string_view name_or_arn);

[[nodiscard]] std::string encode_composite(const CompositeAlarm& alarm);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] CompositeAlarm decode_composite(store::ResourceAddress address, std::string_view bytes);
// Nothing: there is none. The read is tracked if `reader` is a transaction.
Task<std::optional<CompositeAlarm>> find_composite(store::Snapshot& reader, store::ResourceAddress address);

// Writes under which alarms it is to be looked at; erases what an earlier form of it had.
void watch_children(store::Transaction& txn, const CompositeAlarm& alarm);
void unwatch_children(store::Transaction& txn, const CompositeAlarm& alarm);

// As the API answers it.
[[nodiscard]] shapes::CompositeAlarm describe(const CompositeAlarm& alarm);

// The state of an alarm of metrics or of a composite one; nothing: there is none.
Task<std::optional<AlarmState>> state_of_alarm(store::Snapshot& reader, store::ResourceAddress address);

}  // namespace tidemill::cloudwatch
