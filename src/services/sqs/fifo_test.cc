// FIFO queues: order by group, locks, deduplication.
#include "services/sqs/testing.h"

namespace tidemill::sqs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using namespace std::chrono_literals;
using testing::World;

std::string text(const json::Value& answer, std::string_view member) { return answer.find(member)->string(); }

TEST(FifoTest, AGroupIsLockedWhileAMessageIsInFlight) {
  World world;
  world.create_queue("q.fifo");
  for (const char* body : {"1", "2", "3"}) world.send_fifo("q.fifo", body, "g", body);
  const auto first = world.receive("q.fifo", R"("MaxNumberOfMessages":2)");
  EXPECT_THAT(World::bodies(first), ElementsAre("1", "2"));
  EXPECT_THAT(world.receive("q.fifo"), IsEmpty());
  world.remove("q.fifo", first[0]);
  EXPECT_THAT(world.receive("q.fifo"), IsEmpty());
  const auto waiting = world.start("ReceiveMessage", World::of_queue("q.fifo", R"("WaitTimeSeconds":20)"));
  world.settle();
  EXPECT_FALSE(waiting->done);
  world.remove("q.fifo", first[1]);
  world.settle();
  EXPECT_THAT(World::bodies(World::received(waiting->answer)), ElementsAre("3"));
}

TEST(FifoTest, ATimeoutBringsTheGroupBackInItsOrder) {
  World world;
  world.create_queue("q.fifo", R"("VisibilityTimeout":"10")");
  for (const char* body : {"1", "2", "3"}) world.send_fifo("q.fifo", body, "g", body);
  const auto first = world.receive("q.fifo", R"("MaxNumberOfMessages":2)");
  world.advance(10s);
  EXPECT_THAT(world.remove("q.fifo", first[0]), HasSubstr("Reason: The receipt handle has expired."));
  EXPECT_THAT(World::bodies(world.receive("q.fifo")), ElementsAre("1", "2", "3"));
}

TEST(FifoTest, AnExtendedHandleStillDeletesAndGroupsAreFreedAtOnce) {
  World world;
  world.create_queue("q.fifo", R"("VisibilityTimeout":"10")");
  for (const char* body : {"1", "2"}) world.send_fifo("q.fifo", body, "g", body);
  const auto first = world.receive("q.fifo", R"("MaxNumberOfMessages":1)");
  EXPECT_EQ(world.hide("q.fifo", first[0], 60), "{}");
  world.advance(30s);
  EXPECT_THAT(world.receive("q.fifo"), IsEmpty());
  EXPECT_EQ(world.remove("q.fifo", first[0]), "{}");
  const auto second = world.receive("q.fifo");
  EXPECT_THAT(World::bodies(second), ElementsAre("2"));
  EXPECT_EQ(world.hide("q.fifo", second[0], 0), "{}");
  EXPECT_THAT(World::bodies(world.receive("q.fifo")), ElementsAre("2"));
}

TEST(FifoTest, GroupsAreReceivedBesideEachOther) {
  World world;
  world.create_queue("q.fifo");
  world.send_fifo("q.fifo", "a1", "a", "1");
  world.send_fifo("q.fifo", "b1", "b", "2");
  world.send_fifo("q.fifo", "a2", "a", "3");
  const auto first = world.receive("q.fifo", R"("MaxNumberOfMessages":1)");
  EXPECT_THAT(World::bodies(first), ElementsAre("a1"));
  EXPECT_THAT(World::bodies(world.receive("q.fifo")), ElementsAre("b1"));
  world.remove("q.fifo", first[0]);
  EXPECT_THAT(World::bodies(world.receive("q.fifo")), ElementsAre("a2"));
  EXPECT_EQ(world.counts("q.fifo"), "0 2 0");
}

TEST(FifoTest, ADuplicateIsAnsweredAsItsOriginalAndDropped) {
  World world;
  world.create_queue("q.fifo");
  const auto original = world.send_fifo("q.fifo", "x", "g", "id");
  EXPECT_THAT(text(original, "SequenceNumber"), SizeIs(20));
  world.remove("q.fifo", world.receive("q.fifo").at(0));
  const auto duplicate = world.send_fifo("q.fifo", "x", "other", "id");
  EXPECT_EQ(text(duplicate, "MessageId"), text(original, "MessageId"));
  EXPECT_EQ(text(duplicate, "SequenceNumber"), text(original, "SequenceNumber"));
  EXPECT_THAT(world.receive("q.fifo"), IsEmpty());
  world.advance(5min);
  const auto fresh = world.send_fifo("q.fifo", "x", "g", "id");
  EXPECT_GT(text(fresh, "SequenceNumber"), text(original, "SequenceNumber"));
  const auto message = world.receive("q.fifo").at(0);
  EXPECT_EQ(message.attribute("SequenceNumber"), text(fresh, "SequenceNumber"));
  EXPECT_EQ(message.attribute("MessageDeduplicationId"), "id");
  EXPECT_EQ(message.attribute("MessageGroupId"), "g");
}

TEST(FifoTest, DeduplicationCanBeByGroupAndByContent) {
  World world;
  world.create_queue("q.fifo", R"("DeduplicationScope":"messageGroup","ContentBasedDeduplication":"true")");
  for (const char* group : {"a", "b", "a"}) {
    world.send("q.fifo", base::cat(R"("MessageBody":"same","MessageGroupId":")", group, "\""));
  }
  EXPECT_EQ(world.counts("q.fifo"), "2 0 0");
}

TEST(FifoTest, WhatIsRememberedGoesAfterFiveMinutes) {
  World world;
  world.create_queue("q.fifo");
  world.send_fifo("q.fifo", "x", "g", "id");
  world.remove("q.fifo", world.receive("q.fifo").at(0));
  world.advance(24h * 14);
  for (const auto& [key, value] : world.disk.data) EXPECT_NE(key[0], 'Q') << "something is left";
}

TEST(FifoTest, MessagesAreDelayedByTheQueueAlone) {
  World world;
  world.create_queue("q.fifo", R"("DelaySeconds":"5")");
  EXPECT_THAT(
      world.run("SendMessage", World::of_queue("q.fifo", R"("MessageBody":"x","MessageGroupId":"g",
              "MessageDeduplicationId":"1","DelaySeconds":2)")),
      HasSubstr("Value 2 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not "
                "valid for this queue type."));
  world.send("q.fifo", R"("MessageBody":"1","MessageGroupId":"g","MessageDeduplicationId":"1","DelaySeconds":0)");
  world.advance(2s);
  world.send_fifo("q.fifo", "2", "g", "2");
  EXPECT_EQ(world.counts("q.fifo"), "0 0 2");
  world.advance(3s);
  EXPECT_THAT(World::bodies(world.receive("q.fifo")), ElementsAre("1"));
}

TEST(FifoTest, WhatAFifoQueueNeedsIsAskedFor) {
  World world;
  world.create_queue("q.fifo");
  EXPECT_EQ(world.run("SendMessage", World::of_queue("q.fifo", R"("MessageBody":"x")")),
            "MissingRequiredParameterException: The request must contain the parameter MessageGroupId.");
  EXPECT_EQ(world.run("SendMessage", World::of_queue("q.fifo", R"("MessageBody":"x","MessageGroupId":"g")")),
            "InvalidParameterValueException: The queue should either have ContentBasedDeduplication enabled or "
            "MessageDeduplicationId provided explicitly");
  EXPECT_EQ(world.run("SendMessageBatch", World::of_queue("q.fifo", R"("Entries":[{"Id":"a","MessageBody":"x"}])")),
            "InvalidParameterValueException: The request must contain the parameter MessageGroupId.");
}

TEST(FifoTest, AMessageThatIsGivenUpMakesWayForTheNext) {
  World world;
  world.create_queue("dead.fifo");
  world.create_queue_with_target("q.fifo", "dead.fifo", 1);
  for (const char* body : {"1", "2"}) world.send_fifo("q.fifo", body, "g", body);
  EXPECT_THAT(World::bodies(world.receive("q.fifo", R"("MaxNumberOfMessages":1)")), ElementsAre("1"));
  world.advance(30s);
  EXPECT_THAT(World::bodies(world.receive("q.fifo")), ElementsAre("2"));
  const auto dead = world.receive("dead.fifo");
  EXPECT_THAT(World::bodies(dead), ElementsAre("1"));
  EXPECT_EQ(dead[0].attribute("MessageGroupId"), "g");
}

TEST(FifoTest, ExpiredMessagesMakeWayForTheNext) {
  World world;
  world.create_queue("q.fifo", R"("MessageRetentionPeriod":"60")");
  world.send_fifo("q.fifo", "1", "g", "1");
  EXPECT_THAT(world.receive("q.fifo", R"("VisibilityTimeout":1000)"), SizeIs(1));
  world.advance(30s);
  world.send_fifo("q.fifo", "2", "g", "2");
  world.advance(30s);
  EXPECT_THAT(World::bodies(world.receive("q.fifo")), ElementsAre("2"));
}

TEST(FifoTest, APurgeForgetsMessagesAndDuplicates) {
  World world;
  world.create_queue("q.fifo");
  world.send_fifo("q.fifo", "1", "g", "1");
  world.receive("q.fifo");
  EXPECT_EQ(world.run("PurgeQueue", World::of_queue("q.fifo")), "{}");
  EXPECT_EQ(world.counts("q.fifo"), "0 0 0");
  world.send_fifo("q.fifo", "again", "g", "1");
  EXPECT_THAT(World::bodies(world.receive("q.fifo")), ElementsAre("again"));
  EXPECT_EQ(world.run("PurgeQueue", World::of_queue("q.fifo")),
            "PurgeQueueInProgress: Only one PurgeQueue operation on q.fifo is allowed every 60 seconds.");
}

// A receive of ten with the id of an attempt.
std::string attempt(std::string_view id, std::string_view more = "") {
  return base::cat(R"("MaxNumberOfMessages":10,"ReceiveRequestAttemptId":")", id, "\"", more);
}

TEST(FifoTest, AMessageInFlightBlocksOnlyWhatIsBehindIt) {
  World world;
  world.create_queue("q.fifo", R"("VisibilityTimeout":"30")");
  for (const char* body : {"1", "2", "3"}) world.send_fifo("q.fifo", body, "g", body);
  const auto first = world.receive("q.fifo");
  ASSERT_THAT(World::bodies(first), ElementsAre("1", "2", "3"));
  EXPECT_EQ(world.hide("q.fifo", first[1], 100), "{}");
  EXPECT_THAT(world.receive("q.fifo"), IsEmpty());
  EXPECT_EQ(world.hide("q.fifo", first[0], 0), "{}");
  const auto again = world.receive("q.fifo");
  EXPECT_THAT(World::bodies(again), ElementsAre("1")) << "2 is in flight, and 3 behind it";
  EXPECT_EQ(world.remove("q.fifo", again[0]), "{}");
  world.advance(60s);
  EXPECT_THAT(world.receive("q.fifo"), IsEmpty()) << "3 is back, but 2 is not";
  world.advance(40s);
  EXPECT_THAT(World::bodies(world.receive("q.fifo")), ElementsAre("2", "3"));
}

TEST(FifoTest, AReceiveThatIsRepeatedGetsTheSameMessages) {
  World world;
  world.create_queue("q.fifo", R"("VisibilityTimeout":"30")");
  for (const char* body : {"1", "2"}) world.send_fifo("q.fifo", body, "g", body);
  world.send_fifo("q.fifo", "3", "h", "3");
  const auto first = world.receive("q.fifo", attempt("one"));
  EXPECT_THAT(World::bodies(first), ElementsAre("1", "2", "3"));
  world.send_fifo("q.fifo", "4", "i", "4");
  world.advance(20s);
  world.crash();
  const auto again = world.receive("q.fifo", attempt("one"));
  EXPECT_THAT(World::bodies(again), ElementsAre("1", "2", "3"));
  for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(again[i].handle, first[i].handle);
  EXPECT_EQ(again[0].attribute("ApproximateReceiveCount"), "1");
  world.advance(20s);
  EXPECT_THAT(World::bodies(world.receive("q.fifo", attempt("two"))), ElementsAre("4")) << "they are hidden anew";
  for (const auto& message : first) EXPECT_EQ(world.remove("q.fifo", message), "{}");
}

TEST(FifoTest, AnAttemptIsForgottenOnceAMessageOfItHasChanged) {
  World world;
  world.create_queue("q.fifo", R"("VisibilityTimeout":"30")");
  for (const char* body : {"1", "2", "3"}) world.send_fifo("q.fifo", body, body, body);
  const auto first = world.receive("q.fifo", attempt("one"));
  ASSERT_THAT(first, SizeIs(3));
  world.remove("q.fifo", first[0]);
  EXPECT_THAT(world.receive("q.fifo", attempt("one")), IsEmpty()) << "one is deleted";
  world.advance(30s);
  const auto second = world.receive("q.fifo", attempt("one"));
  EXPECT_THAT(World::bodies(second), ElementsAre("2", "3")) << "they came back, and are received anew";
  EXPECT_EQ(second[0].attribute("ApproximateReceiveCount"), "2");
  world.hide("q.fifo", second[0], 100);
  EXPECT_THAT(world.receive("q.fifo", attempt("one")), IsEmpty()) << "one is hidden for another time";
}

TEST(FifoTest, AnAttemptIsGoodForFiveMinutes) {
  World world;
  world.create_queue("q.fifo", R"("VisibilityTimeout":"600")");
  world.send_fifo("q.fifo", "1", "g", "1");
  EXPECT_THAT(world.receive("q.fifo", attempt("one")), SizeIs(1));
  world.advance(299s);
  EXPECT_THAT(world.receive("q.fifo", attempt("one")), SizeIs(1));
  world.advance(1s);
  EXPECT_THAT(world.receive("q.fifo", attempt("one")), IsEmpty());
}

TEST(FifoTest, AttemptsAreOfFifoQueuesAndHaveWellFormedIds) {
  World world;
  world.create_queue("q");
  world.create_queue("q.fifo");
  EXPECT_EQ(world.run("ReceiveMessage", World::of_queue("q", attempt("one"))),
            "InvalidParameterValueException: Value one for parameter ReceiveRequestAttemptId is invalid. Reason: The "
            "request include parameter that is not valid for this queue type.");
  EXPECT_THAT(world.run("ReceiveMessage", World::of_queue("q.fifo", attempt("a b"))),
              HasSubstr("Reason: ReceiveRequestAttemptId can only include alphanumeric and punctuation characters."));
}

TEST(FifoTest, NoMoreThanTheQuotaAreInFlightAndNobodyIsTold) {
  World world(1, store::SimFaults::none(), {.in_flight_max = 3});
  world.create_queue("q.fifo");
  for (const char* body : {"1", "2", "3", "4"}) world.send_fifo("q.fifo", body, body, body);
  const auto first = world.receive("q.fifo");
  EXPECT_THAT(World::bodies(first), ElementsAre("1", "2", "3"));
  EXPECT_THAT(world.receive("q.fifo"), IsEmpty());
  world.remove("q.fifo", first[0]);
  world.advance(InFlight::kCountedAgainAfter);
  EXPECT_THAT(World::bodies(world.receive("q.fifo")), ElementsAre("4"));
}

}  // namespace
}  // namespace tidemill::sqs
