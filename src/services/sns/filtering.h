// Which subscribers of a topic get a message.
#pragma once

#include <vector>

#include "services/sns/message.h"
#include "services/sns/subscription.h"

namespace tidemill::sns {

// Those that have confirmed and whose filter policies the message satisfies.
[[nodiscard]] std::vector<SubscriptionPtr> receivers_of(const Message& message,
                                                        const std::vector<SubscriptionPtr>& subscriptions);

}  // namespace tidemill::sns
