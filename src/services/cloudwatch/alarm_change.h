// An alarm changes its state: what is noted, and who is told. Actions become deliveries in the transaction that changes
// the state, so none is lost by a crash; they are told at least once.
#pragma once

#include <string>

#include "services/cloudwatch/alarm.h"
#include "store/delivery.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::cloudwatch {

// The target kinds of deliveries; the targets are ARNs.
inline constexpr std::string_view kTopicTarget = "cloudwatch-topic";        // the payload is {"subject": …, "message": …}
inline constexpr std::string_view kFunctionTarget = "cloudwatch-function";  // the payload is the event

// One attempt to tell a topic or a function, as the service that its policy must let tell it of the alarm. rejected:
// there is none, it does not let it, or it does not take the message.
Task<store::SendOutcome> tell_topic(wire::Platform& platform, const store::Delivery& delivery);
Task<store::SendOutcome> tell_function(wire::Platform& platform, const store::Delivery& delivery);

// Takes the new state over and writes the alarm. Actions are due if the value changes and they are enabled.
Task<void> change_state(store::Transaction& txn, Alarm& alarm, std::string value, std::string reason,
                        std::string reason_data, base::Time now);

}  // namespace tidemill::cloudwatch
