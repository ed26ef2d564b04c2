// An alarm's configuration: how functions and buses are told of it, and that it has changed.
#pragma once

#include "base/json.h"
#include "services/cloudwatch/alarm.h"
#include "services/cloudwatch/composite_alarm.h"
#include "store/store.h"

namespace tidemill::cloudwatch {

// What an alarm looks at, as members of "configuration".
void write_metrics(json::Writer& writer, const Alarm& alarm);
void write_rule(json::Writer& writer, const CompositeAlarm& alarm);

// The alarm has been made, or has another configuration than `before`: notes it in its history, and tells the default
// bus, in the transaction that changes it.
Task<void> note_configuration(store::Transaction& txn, const Alarm& alarm, const Alarm* before, base::Time now);
Task<void> note_configuration(store::Transaction& txn, const CompositeAlarm& alarm, const CompositeAlarm* before,
                              base::Time now);
// It has been deleted.
Task<void> note_deletion(store::Transaction& txn, const Alarm& alarm, base::Time now);
Task<void> note_deletion(store::Transaction& txn, const CompositeAlarm& alarm, base::Time now);

}  // namespace tidemill::cloudwatch
