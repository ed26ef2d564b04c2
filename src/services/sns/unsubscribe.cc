// Ends a subscription; one that is not there is no error. A URL is told, and may take it back.
#include "base/text.h"
#include "services/sns/confirmation.h"
#include "services/sns/errors.h"
#include "services/sns/operations.h"

namespace tidemill::sns {

Task<shapes::UnsubscribeOutput> unsubscribe(Service& service, wire::Context& context,
                                            const shapes::UnsubscribeInput& request) {
  const SubscriptionAddress address = is_unsigned(context) ? subscription_of_anyone(request.subscription_arn)
                                                           : subscription_of(context, request.subscription_arn);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const SubscriptionPtr found = co_await service.subscriptions().find(txn, address);
    if (!found || found->status == SubscriptionStatus::removed) co_return;
    if (found->needs_signature_to_leave && is_unsigned(context)) {
      throw errors::authorization_error_exception(
          "The subscription was confirmed with AuthenticateOnUnsubscribe: requests to end it must be signed");
    }
    const auto topic = co_await find_topic(txn, address.topic);
    if (!topic || !found->is_http() || found->status != SubscriptionStatus::confirmed) {
      txn.erase(subscription_key(address));
      co_return;
    }
    Subscription subscription = *found;
    subscription.status = SubscriptionStatus::removed;
    co_await ask_endpoint(txn, service, *topic, subscription, "UnsubscribeConfirmation", context.now());
  });
  co_return shapes::UnsubscribeOutput{};
}

}  // namespace tidemill::sns
