// Removes a topic with its subscriptions; a topic that is not there is no error. Messages on their way may not arrive.
#include "services/sns/backoff.h"
#include "services/sns/fifo.h"
#include "services/sns/operations.h"

namespace tidemill::sns {

Task<shapes::DeleteTopicOutput> delete_topic(Service& service, wire::Context& context,
                                             const shapes::DeleteTopicInput& request) {
  const TopicAddress address = topic_of(context, request.topic_arn);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const auto topic = co_await find_topic(txn, address);
    if (!topic) co_return;
    txn.erase(topic_key(address));
    forget_all(txn, *topic);
    forget_backoff(txn, *topic);
    // One by one, since others guard against each other by single subscriptions.
    for (const SubscriptionPtr& subscription : co_await service.subscriptions().of_topic(txn, address)) {
      txn.erase(subscription_key(subscription->address));
    }
  });
  co_return shapes::DeleteTopicOutput{};
}

}  // namespace tidemill::sns
