// A composite alarm changes its state, and who is told: its actions at once, or, if it has a suppressor, once that is
// known not to be in ALARM. "Composite alarm action suppression" in the user guide.
#pragma once

#include "services/cloudwatch/composite_alarm.h"
#include "services/cloudwatch/service.h"

namespace tidemill::cloudwatch {

// Takes the new state over and writes the alarm.
Task<void> change_composite(store::Transaction& txn, CompositeAlarm& alarm, std::string value, std::string reason,
                            std::string reason_data, base::Time now);

// The handler of kCompositeTimer.
Task<void> evaluate_composite(Service& service, const store::Timer& timer);

}  // namespace tidemill::cloudwatch
