// GetTopicAttributes and SetTopicAttributes.
#include "engine/policy_principals.h"
#include "services/sns/errors.h"
#include "services/sns/operations.h"
#include "services/sns/topic_attributes.h"

namespace tidemill::sns {

Task<shapes::GetTopicAttributesOutput> get_topic_attributes(Service& service, wire::Context& context,
                                                            const shapes::GetTopicAttributesInput& request) {
  const TopicAddress address = topic_of(context, request.topic_arn);
  const auto snapshot = service.store().snapshot();
  const Topic topic = co_await load_topic(*snapshot, address);
  SubscriptionCounts counts;
  for (const SubscriptionPtr& subscription : co_await service.subscriptions().of_topic(*snapshot, address)) {
    switch (subscription->status) {
      case SubscriptionStatus::confirmed: ++counts.confirmed; break;
      case SubscriptionStatus::pending: ++counts.pending; break;
      case SubscriptionStatus::removed: ++counts.deleted; break;
    }
  }
  AttributeMap shown = describe_topic(topic, counts);
  shown["Policy"] = co_await engine::with_arns(context, std::move(shown["Policy"]));
  co_return shapes::GetTopicAttributesOutput{.attributes = std::move(shown)};
}

Task<shapes::SetTopicAttributesOutput> set_topic_attributes(Service& service, wire::Context& context,
                                                            const shapes::SetTopicAttributesInput& request) {
  const TopicAddress address = topic_of(context, request.topic_arn);
  std::string value = request.attribute_value.value_or("");
  check_topic_attribute(request.attribute_name, value, address.is_fifo(), false);
  value = co_await kept_topic_attribute(context, request.attribute_name, std::move(value));
  co_await service.change_topic(address, [&](Topic& topic) {
    if (value.empty()) topic.attributes.erase(request.attribute_name);
    else topic.attributes.insert_or_assign(request.attribute_name, value);
  });
  co_return shapes::SetTopicAttributesOutput{};
}

}  // namespace tidemill::sns
