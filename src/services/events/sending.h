// How events leave for targets: a delivery for each target of each rule that matches, enqueued in the transaction that
// takes the event. So an event that is acknowledged reaches all its targets, whatever happens to the process. Each
// delivery carries what it needs: a rule that is changed or deleted meanwhile changes nothing for events that are on
// their way.
//
//   deliveries "events"         target: the target's ARN; payload: Outgoing
//   deliveries "events-http"    the same, to API destinations
//   deliveries "events-call"    the same, to operations by their names that may take as long as what they call
#pragma once

#include <optional>
#include <string>

#include "engine/deliveries.h"
#include "services/events/api_call.h"
#include "services/events/event.h"
#include "services/events/rule_set.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::events {

class Sending {
 public:
  // Outlives this.
  Sending(wire::Platform& platform, engine::HttpSend http)
      : platform_(platform), api_caller_(platform, std::move(http)) {}

  // Before the timers start.
  void register_with(engine::Deliveries& deliveries);

  [[nodiscard]] ApiCaller& api_caller() { return api_caller_; }

  // In the transaction that takes the event. `denial`: what the target, a bus, refuses it with; empty: nothing. How
  // many bytes that are.
  Task<size_t> enqueue(store::Transaction& txn, const ActiveRule& rule, const ActiveTarget& target,
                       const Arrival& arrival, std::string denial, base::Time now);

 private:
  Task<store::SendOutcome> call_destination(const store::Delivery& delivery);
  Task<void> end(store::Transaction& txn, const store::Delivery& delivery, std::optional<store::GiveUpReason> reason);

  wire::Platform& platform_;
  ApiCaller api_caller_;
};

}  // namespace tidemill::events
