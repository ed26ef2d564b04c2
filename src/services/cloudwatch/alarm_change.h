// An alarm changes its state: what is noted, and who is told. Actions become deliveries in the transaction that changes
// the state, so none is lost by a crash; they are told at least once.
#pragma once

#include <string>

#include "services/cloudwatch/alarm.h"
#include "store/delivery.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::cloudwatch {

// The target kinds of deliveries to topics; engine/targets/senders.h has the one to functions.
inline constexpr std::string_view kTopicTarget =
    "cloudwatch-topic";  // an ARN; the payload is {"subject": …, "message": …}

// One attempt to tell a topic. rejected: there is no such topic, or it does not take the message.
Task<store::SendOutcome> tell_topic(wire::Platform& platform, const store::Delivery& delivery);

// Takes the new state over and writes the alarm. Actions are due if the value changes and they are enabled.
Task<void> change_state(store::Transaction& txn, Alarm& alarm, std::string value, std::string reason,
                        std::string reason_data, base::Time now);

}  // namespace tidemill::cloudwatch
