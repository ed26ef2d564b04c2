// Tokens: what an endpoint that was asked whether it wants a subscription answers with. They are secrets, good for two
// days ("Confirmation tokens are valid for two days"); a subscription that is not confirmed by then is forgotten, and so is
// one that was left.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "services/sns/service.h"
#include "store/timer.h"
#include "wire/context.h"

namespace tidemill::sns {

inline constexpr std::chrono::hours kTokenValidity{48};
inline constexpr std::string_view kTokenTimer = "sns-token";  // its id is the subscription's ARN

// Gives the subscription a new token, sends it to its endpoint ("SubscriptionConfirmation" or "UnsubscribeConfirmation"),
// and keeps the subscription.
Task<void> ask_endpoint(store::Transaction& txn, Service& service, const Topic& topic, Subscription& subscription,
                        std::string type, base::Time now);

Task<void> forget_token(Service& service, const store::Timer& timer);

// Whether the request came without a signature, as from somebody who follows a link.
[[nodiscard]] bool is_unsigned(const wire::Context& context);

}  // namespace tidemill::sns
