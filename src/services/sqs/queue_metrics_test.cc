// The metrics of queues: what is counted, and what the gauges show when a minute ends.
#include "services/sqs/testing.h"

namespace tidemill::sqs {
namespace {

using namespace std::chrono_literals;
using testing::World;
using Metrics = std::map<std::string, std::string>;

std::string at(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? "" : found->second;
}

TEST(QueueMetricsTest, WhatHappensIsCountedAndWhatTheQueueHoldsIsShown) {
  World world;
  world.create_queue("q");
  (void)world.send("q", R"("MessageBody":"hello")");
  (void)world.send("q", R"("MessageBody":"you","DelaySeconds":600)");
  (void)world.run("SendMessageBatch", World::of_queue("q", R"("Entries":[{"Id":"1","MessageBody":"a"},)"
                                                           R"({"Id":"2","MessageBody":"b"}])"));
  world.advance(7s);
  const auto received = world.receive("q", R"("MaxNumberOfMessages":2)");
  ASSERT_EQ(received.size(), 2u);
  (void)world.remove("q", received[0]);
  EXPECT_EQ(world.receive("q").size(), 1u);
  EXPECT_TRUE(world.receive("q").empty());
  const Metrics metrics = world.measured("AWS/SQS");
  EXPECT_EQ(at(metrics, "NumberOfMessagesSent q"), "4 of 4");
  EXPECT_EQ(at(metrics, "SentMessageSize q"), "10 of 4");
  EXPECT_EQ(at(metrics, "NumberOfMessagesReceived q"), "3 of 3");
  EXPECT_EQ(at(metrics, "NumberOfEmptyReceives q"), "1 of 1");
  EXPECT_EQ(at(metrics, "NumberOfMessagesDeleted q"), "1 of 1");
  EXPECT_EQ(at(metrics, "ApproximateNumberOfMessagesVisible q"), "0 of 1");
  EXPECT_EQ(at(metrics, "ApproximateNumberOfMessagesNotVisible q"), "2 of 1");
  EXPECT_EQ(at(metrics, "ApproximateNumberOfMessagesDelayed q"), "1 of 1");
  EXPECT_EQ(at(metrics, "ApproximateAgeOfOldestMessage q"), "7 of 1");
}

TEST(QueueMetricsTest, AQueueIsLookedAtAsLongAsItHoldsMessagesForSixHoursAtMost) {
  World world;
  world.create_queue("q");
  world.create_queue("idle");
  (void)world.send("q", R"("MessageBody":"a")");
  EXPECT_EQ(at(world.measured("AWS/SQS"), "ApproximateNumberOfMessagesVisible q"), "1 of 1");
  world.advance(1h);
  const Metrics later = world.measured("AWS/SQS");
  EXPECT_EQ(at(later, "ApproximateAgeOfOldestMessage q"), "3600 of 1");
  EXPECT_EQ(at(later, "ApproximateNumberOfMessagesVisible idle"), "");
  world.advance(5h);
  (void)world.measured("AWS/SQS");
  EXPECT_TRUE(world.measured("AWS/SQS").empty());
}

TEST(QueueMetricsTest, AnEmptyQueueIsShownOnceAndThenRests) {
  World world;
  world.create_queue("q");
  EXPECT_TRUE(world.receive("q").empty());
  EXPECT_EQ(at(world.measured("AWS/SQS"), "ApproximateNumberOfMessagesVisible q"), "0 of 1");
  EXPECT_TRUE(world.measured("AWS/SQS").empty());
}

TEST(QueueMetricsTest, ADeadLetterQueueIsShownWhenItGetsSomething) {
  World world;
  world.create_queue("dead");
  world.create_queue("q");
  (void)world.run("SetQueueAttributes",
                  World::of_queue("q", R"("Attributes":{"VisibilityTimeout":"0","RedrivePolicy":)"
                                       R"("{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:dead\",)"
                                       R"(\"maxReceiveCount\":\"1\"}"})"));
  (void)world.send("q", R"("MessageBody":"a")");
  EXPECT_EQ(world.receive("q").size(), 1u);
  EXPECT_TRUE(world.receive("q").empty());
  const Metrics metrics = world.measured("AWS/SQS");
  EXPECT_EQ(at(metrics, "ApproximateNumberOfMessagesVisible dead"), "1 of 1");
  EXPECT_EQ(at(metrics, "NumberOfMessagesSent dead"), "") << "nobody sent it there";
}

TEST(QueueMetricsTest, WhatIsReceivedAgainAndAgainIsNotTheOldest) {
  World world;
  world.create_queue("q");
  (void)world.run("SetQueueAttributes", World::of_queue("q", R"("Attributes":{"VisibilityTimeout":"0"})"));
  (void)world.send("q", R"("MessageBody":"poison")");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(world.receive("q").size(), 1u);
  world.advance(100s);
  (void)world.send("q", R"("MessageBody":"good")");
  world.advance(5s);
  EXPECT_EQ(at(world.measured("AWS/SQS"), "ApproximateAgeOfOldestMessage q"), "5 of 1");
}

}  // namespace
}  // namespace tidemill::sqs
