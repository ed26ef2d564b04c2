// GetSubscriptionAttributes and SetSubscriptionAttributes.
#include "services/sns/errors.h"
#include "services/sns/operations.h"
#include "services/sns/subscription_attributes.h"

namespace tidemill::sns {
namespace {

Task<SubscriptionPtr> load(Service& service, store::Snapshot& reader, SubscriptionAddress address) {
  SubscriptionPtr found = co_await service.subscriptions().find(reader, std::move(address));
  if (!found || found->status == SubscriptionStatus::removed) throw subscription_does_not_exist();
  co_return found;
}

}  // namespace

Task<shapes::GetSubscriptionAttributesOutput> get_subscription_attributes(
    Service& service, wire::Context& context, const shapes::GetSubscriptionAttributesInput& request) {
  const SubscriptionAddress address = subscription_of(context, request.subscription_arn);
  const auto snapshot = service.store().snapshot();
  const SubscriptionPtr subscription = co_await load(service, *snapshot, address);
  const Topic topic = co_await load_topic(*snapshot, address.topic);
  co_return shapes::GetSubscriptionAttributesOutput{.attributes = describe_subscription(*subscription, topic)};
}

Task<shapes::SetSubscriptionAttributesOutput> set_subscription_attributes(
    Service& service, wire::Context& context, const shapes::SetSubscriptionAttributesInput& request) {
  const SubscriptionAddress address = subscription_of(context, request.subscription_arn);
  const AttributeMap change{{request.attribute_name, request.attribute_value.value_or("")}};
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Subscription subscription = *co_await load(service, txn, address);
    apply_subscription_attributes(subscription, change, false);
    txn.put(subscription_key(address), encode_subscription(subscription));
  });
  co_return shapes::SetSubscriptionAttributesOutput{};
}

}  // namespace tidemill::sns
