// The metrics of topics under AWS's names. SNS Developer Guide, "Monitoring Amazon SNS topics using CloudWatch".
#pragma once

#include "services/sns/address.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::sns {

inline constexpr wire::PlatformMetric topic_metric(std::string_view name, std::string_view unit = "Count") {
  return {"AWS/SNS", name, unit, "TopicName"};
}

inline constexpr wire::PlatformMetric kMessagesPublished = topic_metric("NumberOfMessagesPublished");
inline constexpr wire::PlatformMetric kPublishSize = topic_metric("PublishSize", "Bytes");
// Of URLs each attempt that fails; of others what is given up.
inline constexpr wire::PlatformMetric kNotificationsFailed = topic_metric("NumberOfNotificationsFailed");
inline constexpr wire::PlatformMetric kNotificationsDelivered = topic_metric("NumberOfNotificationsDelivered");
inline constexpr wire::PlatformMetric kRedriven = topic_metric("NumberOfNotificationsRedrivenToDlq");
inline constexpr wire::PlatformMetric kNotRedriven = topic_metric("NumberOfNotificationsFailedToRedriveToDlq");
// The first counts all; the others say why.
inline constexpr wire::PlatformMetric kFilteredOut = topic_metric("NumberOfNotificationsFilteredOut");
inline constexpr wire::PlatformMetric kFilteredByAttributes =
    topic_metric("NumberOfNotificationsFilteredOut-MessageAttributes");
inline constexpr wire::PlatformMetric kFilteredWithoutAttributes =
    topic_metric("NumberOfNotificationsFilteredOut-NoMessageAttributes");
inline constexpr wire::PlatformMetric kFilteredByBody = topic_metric("NumberOfNotificationsFilteredOut-MessageBody");
inline constexpr wire::PlatformMetric kFilteredInvalidBody =
    topic_metric("NumberOfNotificationsFilteredOut-InvalidMessageBody");

inline void measure_topic(const wire::Platform& platform, const TopicAddress& topic, const wire::PlatformMetric& metric,
                          double value = 1, double count = 1) {
  if (platform.usage) platform.usage->add(metric, topic.account, topic.region, topic.name, value, count);
}

}  // namespace tidemill::sns
