// The metrics of topics.
#include "services/sns/testing.h"

namespace tidemill::sns {
namespace {

using testing::World;
using Metrics = std::map<std::string, std::string>;

std::string at(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? "" : found->second;
}

TEST(TopicMetricsTest, WhatIsPublishedDeliveredAndFilteredOutIsCounted) {
  World world;
  const std::string topic = world.create_topic("t");
  world.create_queue("q");
  world.create_queue("other");
  (void)world.subscribe_queue(topic, "q");
  (void)world.subscribe_queue(topic, "other", {{"FilterPolicy", R"({"color":["red"]})"}});
  (void)world.subscribe_queue(topic, "third", {{"FilterPolicy", R"({"color":["red"]})"}, {"FilterPolicyScope", "MessageBody"}});
  (void)world.publish(topic, "hello");
  (void)world.publish(topic, R"({"color":"blue"})");
  world.settle();
  const Metrics metrics = world.measured("AWS/SNS");
  EXPECT_EQ(at(metrics, "NumberOfMessagesPublished t"), "2 of 2");
  EXPECT_EQ(at(metrics, "PublishSize t"), "21 of 2");
  EXPECT_EQ(at(metrics, "NumberOfNotificationsDelivered t"), "2 of 2");
  EXPECT_EQ(at(metrics, "NumberOfNotificationsFilteredOut t"), "4 of 2");
  EXPECT_EQ(at(metrics, "NumberOfNotificationsFilteredOut-NoMessageAttributes t"), "2 of 2");
  EXPECT_EQ(at(metrics, "NumberOfNotificationsFilteredOut-MessageBody t"), "1 of 1");
  EXPECT_EQ(at(metrics, "NumberOfNotificationsFilteredOut-InvalidMessageBody t"), "1 of 1");
  EXPECT_EQ(at(metrics, "NumberOfNotificationsFailed t"), "");
}

TEST(TopicMetricsTest, EachAttemptThatAUrlFailsIsCounted) {
  World world;
  const std::string topic = world.create_topic("t");
  (void)world.subscribe_url(topic, "http://example.com/");
  (void)world.measured("AWS/SNS");
  int failures = 2;
  world.answer_with = [&](const net::HttpCall&) { return failures-- > 0 ? 500 : 200; };
  (void)world.publish(topic, "hello");
  world.advance(std::chrono::minutes(5));
  const Metrics metrics = world.measured("AWS/SNS");
  EXPECT_EQ(at(metrics, "NumberOfNotificationsFailed t"), "2 of 2");
  EXPECT_EQ(at(metrics, "NumberOfNotificationsDelivered t"), "1 of 1");
}

TEST(TopicMetricsTest, WhatGoesToADeadLetterQueueIsCounted) {
  World world;
  const std::string topic = world.create_topic("t");
  world.create_queue("dead");
  (void)world.subscribe_queue(
      topic, "gone", {{"RedrivePolicy", R"({"deadLetterTargetArn":")" + World::queue_arn("dead") + R"("})"}});
  (void)world.publish(topic, "hello");
  world.settle();
  const Metrics metrics = world.measured("AWS/SNS");
  EXPECT_EQ(at(metrics, "NumberOfNotificationsFailed t"), "1 of 1");
  EXPECT_EQ(at(metrics, "NumberOfNotificationsRedrivenToDlq t"), "1 of 1");
}

}  // namespace
}  // namespace tidemill::sns
