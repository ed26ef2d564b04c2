// ListSubscriptions and ListSubscriptionsByTopic.
#include "services/sns/listing.h"
#include "services/sns/operations.h"

namespace tidemill::sns {
namespace {

constexpr std::string_view kPending = "PendingConfirmation";  // instead of an ARN

shapes::Subscription describe(const Subscription& subscription) {
  const bool is_pending = subscription.status == SubscriptionStatus::pending;
  return {.subscription_arn = is_pending ? std::string(kPending) : subscription.address.arn(),
          .owner = subscription.address.topic.account,
          .protocol = subscription.protocol,
          .endpoint = subscription.endpoint,
          .topic_arn = subscription.address.topic.arn()};
}

// Into an output of either operation.
template <class Output>
Task<Output> list(Service& service, store::Snapshot& snapshot, store::Range range, std::optional<std::string> token) {
  Output out;
  out.subscriptions.emplace();
  out.next_token = co_await read_page(snapshot, std::move(range), std::move(token),
                                      [&](std::string_view key, std::string_view value) {
                                        const SubscriptionPtr one = service.subscriptions().get(key, value);
                                        if (one->status == SubscriptionStatus::removed) return false;
                                        out.subscriptions->push_back(describe(*one));
                                        return true;
                                      });
  co_return out;
}

}  // namespace

Task<shapes::ListSubscriptionsOutput> list_subscriptions(Service& service, wire::Context& context,
                                                         const shapes::ListSubscriptionsInput& request) {
  const auto snapshot = service.store().snapshot();
  co_return co_await list<shapes::ListSubscriptionsOutput>(
      service, *snapshot, subscriptions_range(context.account, context.region), request.next_token);
}

Task<shapes::ListSubscriptionsByTopicOutput> list_subscriptions_by_topic(
    Service& service, wire::Context& context, const shapes::ListSubscriptionsByTopicInput& request) {
  const TopicAddress address = topic_of(context, request.topic_arn);
  const auto snapshot = service.store().snapshot();
  (void)co_await load_topic(*snapshot, address);
  co_return co_await list<shapes::ListSubscriptionsByTopicOutput>(service, *snapshot, subscriptions_range(address),
                                                                  request.next_token);
}

}  // namespace tidemill::sns
