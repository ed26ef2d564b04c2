// Which subscribers of a topic get a message.
#pragma once

#include <vector>

#include "base/task.h"
#include "services/sns/message.h"
#include "services/sns/subscription.h"

namespace tidemill::sns {

struct Receivers {
  // Those that have confirmed and whose filter policies the message satisfies.
  std::vector<SubscriptionPtr> subscriptions;
  // Whose filter policies it does not satisfy.
  size_t filtered_by_attributes = 0;
  size_t filtered_without_attributes = 0;  // the message has none
  size_t filtered_by_body = 0;
  size_t filtered_invalid_body = 0;        // which is no JSON
};

// Gives way between filters: a topic may have millions.
Task<Receivers> receivers_of(const Message& message, const std::vector<SubscriptionPtr>& subscriptions);

}  // namespace tidemill::sns
