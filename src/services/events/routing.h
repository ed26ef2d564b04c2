// An event meets the rules of its bus: what becomes of it is decided, and durable, in the transaction that takes it.
#pragma once

#include <set>
#include <string>

#include "services/events/event.h"
#include "services/events/service.h"
#include "store/store.h"

namespace tidemill::events {

// Enqueues a delivery for every target of every rule that wants the event, and keeps it in every archive that does,
// unless it comes from one. A target that is a bus gets it at once, in the same transaction; from there it goes to no
// further bus, so that nothing runs in circles. If the bus is not there, nobody gets anything. `only_rules`: ARNs;
// empty: all rules.
Task<void> route(store::Transaction& txn, Service& service, const Arrival& arrival,
                 const std::set<std::string>& only_rules, base::Time now);
Task<void> route(store::Transaction& txn, Service& service, const Arrival& arrival, base::Time now);

// The targets of one rule, whatever its pattern.
Task<void> reach_targets(store::Transaction& txn, Service& service, const ActiveRule& rule, const Arrival& arrival,
                         base::Time now);

}  // namespace tidemill::events
