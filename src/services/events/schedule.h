// Rules with a schedule: a timer each, which is due when the rule is to run next. It makes an event for the rule's own
// targets, and is set anew, in one transaction; so a run is neither lost by a crash nor made twice. What fell due while
// nobody ran runs once at the next start.
//
//   timer "events-schedule"    id: the rule's ARN
#pragma once

#include <string>

#include "engine/timer_service.h"
#include "services/events/rule.h"
#include "services/events/service.h"
#include "store/store.h"

namespace tidemill::events {

// Throws ValidationException for what is no schedule of a rule of this bus.
void check_schedule(const BusAddress& bus, const std::string& expression);

// In the transaction that changes the rule: sets its timer, or takes it away. Rates count from `rule.scheduled`.
Task<void> plan(store::Transaction& txn, const Rule& rule, base::Time now);
Task<void> unplan(store::Transaction& txn, const RuleAddress& rule);

// Before the timers start.
void run_schedules_by(engine::TimerService& timers, Service& service);

}  // namespace tidemill::events
