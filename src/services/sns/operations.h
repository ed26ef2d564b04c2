// Every operation of SNS, each in the file of its name or family. Shapes: models/sns.smithy; docs/sns.md says what works.
#pragma once

#include "base/task.h"
#include "services/sns/service.h"
#include "wire/context.h"
#include "wire/shapes/sns.h"

namespace tidemill::sns {

namespace shapes = wire::sns;

// Topics.
Task<shapes::CreateTopicOutput> create_topic(Service&, wire::Context&, const shapes::CreateTopicInput&);
Task<shapes::DeleteTopicOutput> delete_topic(Service&, wire::Context&, const shapes::DeleteTopicInput&);
Task<shapes::ListTopicsOutput> list_topics(Service&, wire::Context&, const shapes::ListTopicsInput&);
Task<shapes::GetTopicAttributesOutput> get_topic_attributes(Service&, wire::Context&,
                                                            const shapes::GetTopicAttributesInput&);
Task<shapes::SetTopicAttributesOutput> set_topic_attributes(Service&, wire::Context&,
                                                            const shapes::SetTopicAttributesInput&);
Task<shapes::AddPermissionOutput> add_permission(Service&, wire::Context&, const shapes::AddPermissionInput&);
Task<shapes::RemovePermissionOutput> remove_permission(Service&, wire::Context&, const shapes::RemovePermissionInput&);
Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);
Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service&, wire::Context&,
                                                               const shapes::ListTagsForResourceInput&);

// Subscriptions.
Task<shapes::SubscribeOutput> subscribe(Service&, wire::Context&, const shapes::SubscribeInput&);
Task<shapes::ConfirmSubscriptionOutput> confirm_subscription(Service&, wire::Context&,
                                                             const shapes::ConfirmSubscriptionInput&);
Task<shapes::UnsubscribeOutput> unsubscribe(Service&, wire::Context&, const shapes::UnsubscribeInput&);
Task<shapes::ListSubscriptionsOutput> list_subscriptions(Service&, wire::Context&,
                                                         const shapes::ListSubscriptionsInput&);
Task<shapes::ListSubscriptionsByTopicOutput> list_subscriptions_by_topic(Service&, wire::Context&,
                                                                         const shapes::ListSubscriptionsByTopicInput&);
Task<shapes::GetSubscriptionAttributesOutput> get_subscription_attributes(
    Service&, wire::Context&, const shapes::GetSubscriptionAttributesInput&);
Task<shapes::SetSubscriptionAttributesOutput> set_subscription_attributes(
    Service&, wire::Context&, const shapes::SetSubscriptionAttributesInput&);

// Messages.
Task<shapes::PublishOutput> publish(Service&, wire::Context&, const shapes::PublishInput&);
Task<shapes::PublishBatchOutput> publish_batch(Service&, wire::Context&, const shapes::PublishBatchInput&);

}  // namespace tidemill::sns
