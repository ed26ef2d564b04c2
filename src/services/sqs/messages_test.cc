// Messages of standard queues: sent, received, hidden, deleted, given up.
#include "services/sqs/testing.h"

namespace tidemill::sqs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;
using testing::Received;
using testing::World;

constexpr std::string_view kLongPoll = R"("WaitTimeSeconds":20)";

TEST(MessagesTest, AMessageIsReceivedOnceAndDeletedForGood) {
  World world;
  world.create_queue("q");
  const auto sent = world.send("q", R"("MessageBody":"hello")");
  EXPECT_EQ(sent.find("MD5OfMessageBody")->string(), "5d41402abc4b2a76b9719d911017c592");
  const auto messages = world.receive("q");
  ASSERT_THAT(World::bodies(messages), ElementsAre("hello"));
  EXPECT_EQ(messages[0].message.find("MessageId")->string(), sent.find("MessageId")->string());
  EXPECT_EQ(messages[0].attribute("ApproximateReceiveCount"), "1");
  EXPECT_EQ(messages[0].attribute("SenderId"), World::kAccount);
  EXPECT_THAT(world.receive("q"), IsEmpty());
  world.remove("q", messages[0]);
  world.remove("q", messages[0]);
  world.advance(1h);
  EXPECT_THAT(world.receive("q"), IsEmpty());
  EXPECT_EQ(world.counts("q"), "0 0 0");
}

TEST(MessagesTest, MessagesComeInTheOrderOfSendingAndAreCounted) {
  World world;
  world.create_queue("q");
  for (const char* body : {"1", "2", "3"}) world.send("q", base::cat(R"("MessageBody":")", body, "\""));
  world.send("q", R"("MessageBody":"later","DelaySeconds":60)");
  EXPECT_EQ(world.counts("q"), "3 0 1");
  EXPECT_THAT(World::bodies(world.receive("q", R"("MaxNumberOfMessages":2)")), ElementsAre("1", "2"));
  EXPECT_EQ(world.counts("q"), "1 2 1");
}

TEST(MessagesTest, AReceiverWaitsForAMessage) {
  World world;
  world.create_queue("q");
  const auto waiting = world.start("ReceiveMessage", World::of_queue("q", kLongPoll));
  world.settle();
  EXPECT_FALSE(waiting->done);
  world.send("q", R"("MessageBody":"hello")");
  world.settle();
  EXPECT_THAT(World::bodies(World::received(waiting->answer)), ElementsAre("hello"));
}

TEST(MessagesTest, AWaitEndsWithoutAMessage) {
  World world;
  world.create_queue("q", R"("ReceiveMessageWaitTimeSeconds":"5")");
  const auto waiting = world.start("ReceiveMessage", World::of_queue("q"));
  world.advance(4s);
  EXPECT_FALSE(waiting->done);
  world.advance(1s);
  ASSERT_TRUE(waiting->done);
  EXPECT_EQ(waiting->answer, "{}");
}

TEST(MessagesTest, OnAClockThatStandsAWaitEndsAfterTheRealTime) {
  ServiceOptions options;
  options.polls_end_in_real_time = true;
  World world(1, store::SimFaults::none(), options);
  world.create_queue("q");
  const base::Time before = world.clock.now();
  EXPECT_TRUE(world.receive("q", R"("WaitTimeSeconds":20)").empty());
  EXPECT_EQ(world.clock.now(), before);
}

TEST(MessagesTest, WaitsEndWhenTheServerStops) {
  World world;
  world.create_queue("q");
  const auto waiting = world.start("ReceiveMessage", World::of_queue("q", R"("WaitTimeSeconds":20)"));
  world.settle();
  EXPECT_FALSE(waiting->done);
  world.service->long_polls().end_all();
  world.settle();
  EXPECT_TRUE(waiting->done);
  EXPECT_TRUE(world.receive("q", R"("WaitTimeSeconds":20)").empty());  // and none begins
}

TEST(MessagesTest, ADelayedMessageReachesAWaitingReceiverWhenItsDelayEnds) {
  World world;
  world.create_queue("q");
  world.send("q", R"("MessageBody":"later","DelaySeconds":10)");
  const auto waiting = world.start("ReceiveMessage", World::of_queue("q", kLongPoll));
  world.advance(9s);
  EXPECT_FALSE(waiting->done);
  world.advance(1s);
  EXPECT_THAT(World::bodies(World::received(waiting->answer)), ElementsAre("later"));
}

// Of a receiver that knows already that nothing comes back before a minute has passed.
TEST(MessagesTest, AWaitingReceiverLearnsOfWhatBecomesAvailableBeforeWhatItKnew) {
  World world;
  world.create_queue("q");
  const auto wait = [&] {
    auto waiting = world.start("ReceiveMessage", World::of_queue("q", kLongPoll));
    world.settle();
    EXPECT_EQ(waiting->answer, "");
    return waiting;
  };
  world.send("q", R"("MessageBody":"hidden")");
  const auto hidden = world.receive("q", R"("VisibilityTimeout":60)").at(0);
  auto waiting = wait();
  world.send("q", R"("MessageBody":"delayed","DelaySeconds":3)");
  world.advance(3s);
  EXPECT_THAT(World::bodies(World::received(waiting->answer)), ElementsAre("delayed"));
  waiting = wait();
  EXPECT_EQ(world.hide("q", hidden, 5), "{}");
  world.advance(5s);
  EXPECT_THAT(World::bodies(World::received(waiting->answer)), ElementsAre("hidden"));
  // What a receive hides for a shorter time.
  world.send("q", R"("MessageBody":"short")");
  EXPECT_THAT(World::bodies(world.receive("q", R"("VisibilityTimeout":2)")), ElementsAre("short"));
  waiting = wait();
  world.advance(2s);
  EXPECT_THAT(World::bodies(World::received(waiting->answer)), ElementsAre("short"));
}

TEST(MessagesTest, EachOfManyWaitingReceiversGetsAMessage) {
  World world;
  world.create_queue("q");
  std::vector<World::RequestPtr> waiting;
  for (int i = 0; i < 200; ++i) waiting.push_back(world.start("ReceiveMessage", World::of_queue("q", kLongPoll)));
  world.settle();
  for (int i = 0; i < 150; ++i) world.send("q", base::cat(R"("MessageBody":"m)", i, "\""));
  world.settle();
  std::set<std::string> bodies;
  size_t done = 0;
  for (const auto& request : waiting) {
    if (!request->done) continue;
    ++done;
    for (const auto& body : World::bodies(World::received(request->answer))) bodies.insert(body);
  }
  EXPECT_EQ(done, 150u);
  EXPECT_THAT(bodies, SizeIs(150));
  world.advance(20s);
  for (const auto& request : waiting) EXPECT_TRUE(request->done);
}

TEST(MessagesTest, AReceiverThatLeftTakesNothing) {
  World world;
  world.create_queue("q");
  base::Scope client;
  world.start("ReceiveMessage", World::of_queue("q", kLongPoll), client);
  const auto other = world.start("ReceiveMessage", World::of_queue("q", kLongPoll));
  world.settle();
  world.leave(client);
  world.send("q", R"("MessageBody":"hello")");
  world.settle();
  EXPECT_THAT(World::bodies(World::received(other->answer)), ElementsAre("hello"));
}

TEST(MessagesTest, AReceiverThatLeavesHalfWayTakesNothingFromOthers) {
  for (int steps = 0; steps < 40; ++steps) {
    World world(static_cast<uint64_t>(steps), store::SimFaults{});
    world.create_queue("q");
    for (const char* body : {"1", "2"}) world.send("q", base::cat(R"("MessageBody":")", body, "\""));
    base::Scope client;
    world.start("ReceiveMessage", World::of_queue("q"), client);
    const auto other = world.start("ReceiveMessage", World::of_queue("q"));
    for (int i = 0; i < steps; ++i) world.executor.run_one();
    world.leave(client);
    world.settle();
    EXPECT_THAT(World::received(other->answer), SizeIs(1)) << steps;
  }
}

TEST(MessagesTest, WaitingEndsWhenTheQueueIsDeleted) {
  World world;
  world.create_queue("q");
  const auto first = world.start("ReceiveMessage", World::of_queue("q", kLongPoll));
  const auto second = world.start("ReceiveMessage", World::of_queue("q", kLongPoll));
  world.settle();
  world.run("DeleteQueue", World::of_queue("q"));
  world.settle();
  EXPECT_EQ(first->answer, "QueueDoesNotExist: The specified queue does not exist.");
  EXPECT_EQ(second->answer, first->answer);
}

TEST(MessagesTest, AMessageComesBackWhenItsVisibilityTimeoutEnds) {
  World world;
  world.create_queue("q", R"("VisibilityTimeout":"30")");
  world.send("q", R"("MessageBody":"hello")");
  const auto first = world.receive("q");
  world.advance(29s);
  EXPECT_THAT(world.receive("q"), IsEmpty());
  world.advance(1s);
  const auto second = world.receive("q");
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0].attribute("ApproximateReceiveCount"), "2");
  EXPECT_EQ(second[0].attribute("ApproximateFirstReceiveTimestamp"),
            first[0].attribute("ApproximateFirstReceiveTimestamp"));
  // On a standard queue the first handle still deletes.
  EXPECT_EQ(world.remove("q", first[0]), "{}");
  world.advance(1min);
  EXPECT_THAT(world.receive("q"), IsEmpty());
}

TEST(MessagesTest, AMessageWhoseTimeoutHasRunOutCanStillBeHidden) {
  World world;
  world.create_queue("q", R"("VisibilityTimeout":"30")");
  world.send("q", R"("MessageBody":"hello")");
  const auto message = world.receive("q").at(0);
  world.advance(31s);
  EXPECT_EQ(world.hide("q", message, 100), "{}");
  EXPECT_THAT(world.receive("q"), IsEmpty());
  EXPECT_EQ(world.counts("q"), "0 1 0");
  world.advance(100s);
  EXPECT_EQ(world.receive("q").at(0).attribute("ApproximateReceiveCount"), "2");
  EXPECT_EQ(world.remove("q", message), "{}");
  EXPECT_THAT(world.hide("q", message, 5), HasSubstr("Message does not exist or is not available"));
}

TEST(MessagesTest, VisibilityCanBeExtendedAndEnded) {
  World world;
  world.create_queue("q");
  world.send("q", R"("MessageBody":"hello")");
  const auto message = world.receive("q").at(0);
  EXPECT_EQ(world.hide("q", message, 100), "{}");
  world.advance(99s);
  EXPECT_THAT(world.receive("q"), IsEmpty());
  const auto waiting = world.start("ReceiveMessage", World::of_queue("q", kLongPoll));
  world.settle();
  EXPECT_EQ(world.hide("q", message, 0), "{}");
  world.settle();
  EXPECT_THAT(World::received(waiting->answer), SizeIs(1));
  EXPECT_EQ(world.hide("q", message, 0), "{}") << "the handle of an earlier receive";
  world.settle();
  world.receive("q");
  EXPECT_THAT(world.hide("q", world.received(waiting->answer)[0], 43'201), HasSubstr("Must be between 0 and 43200"));
  world.advance(1s);
  EXPECT_THAT(world.hide("q", world.received(waiting->answer)[0], 43'200),
              HasSubstr("beyond the limit [43200 seconds]"));
}

TEST(MessagesTest, HandlesThatAreNoneAreRefused) {
  World world;
  world.create_queue("q");
  world.create_queue("other");
  world.send("other", R"("MessageBody":"x")");
  const auto foreign = world.receive("other").at(0);
  EXPECT_THAT(world.remove("q", foreign), StartsWith("ReceiptHandleIsInvalid: The input receipt handle"));
  EXPECT_THAT(
      world.run("DeleteMessage", World::of_queue("q", R"("ReceiptHandle":"garbage")")),
      StartsWith("ReceiptHandleIsInvalid: The input receipt handle \"garbage\" is not a valid receipt handle."));
  EXPECT_THAT(world.run("DeleteMessage", World::of_queue("q")),
              StartsWith("MissingRequiredParameterException: The request must contain the parameter ReceiptHandle."));
}

TEST(MessagesTest, MessagesExpire) {
  World world;
  world.create_queue("q", R"("MessageRetentionPeriod":"60")");
  world.send("q", R"("MessageBody":"old")");
  world.advance(30s);
  world.send("q", R"("MessageBody":"young")");
  world.advance(30s);
  EXPECT_EQ(world.counts("q"), "1 0 0");
  EXPECT_THAT(World::bodies(world.receive("q")), ElementsAre("young"));
  world.advance(1h);
  for (const auto& [key, value] : world.disk.data) EXPECT_NE(key[0], 'Q') << "something is left";
}

TEST(MessagesTest, AShorterRetentionPeriodHoldsForWhatIsThere) {
  World world;
  world.create_queue("q");
  world.send("q", R"("MessageBody":"old")");
  world.advance(10min);
  world.run("SetQueueAttributes", World::of_queue("q", R"("Attributes":{"MessageRetentionPeriod":"300"})"));
  world.settle();
  EXPECT_THAT(world.receive("q"), IsEmpty());
}

TEST(MessagesTest, AMessageThatIsReceivedTooOftenIsGivenUp) {
  World world;
  world.create_queue("dead");
  world.create_queue_with_target("q", "dead", 2);
  const auto sent = world.send("q", R"("MessageBody":"poison")");
  std::string sent_at;
  for (int i = 0; i < 2; ++i) {
    const auto messages = world.receive("q");
    ASSERT_THAT(messages, SizeIs(1));
    sent_at = messages[0].attribute("SentTimestamp");
    world.advance(31s);
  }
  const auto waiting =
      world.start("ReceiveMessage", World::of_queue("dead", R"("AttributeNames":["All"],"WaitTimeSeconds":20)"));
  world.settle();
  EXPECT_THAT(world.receive("q"), IsEmpty());
  world.settle();
  const auto dead = World::received(waiting->answer);
  ASSERT_THAT(World::bodies(dead), ElementsAre("poison"));
  EXPECT_EQ(dead[0].message.find("MessageId")->string(), sent.find("MessageId")->string());
  EXPECT_EQ(dead[0].attribute("DeadLetterQueueSourceArn"), World::arn("q"));
  EXPECT_EQ(dead[0].attribute("SentTimestamp"), sent_at);
  EXPECT_EQ(world.counts("q"), "0 0 0");
}

TEST(MessagesTest, BatchesSucceedAndFailByEntry) {
  World world;
  world.create_queue("q", R"("MaximumMessageSize":"1024")");
  const std::string long_body(1025, 'x');
  const auto sent =
      world.ask("SendMessageBatch",
                World::of_queue("q", base::cat(R"("Entries":[{"Id":"a","MessageBody":"1"},{"Id":"b","MessageBody":")",
                                               long_body, R"("},{"Id":"c","MessageBody":"3","DelaySeconds":901}])")));
  EXPECT_THAT(sent.find("Successful")->array(), SizeIs(1));
  ASSERT_THAT(sent.find("Failed")->array(), SizeIs(2));
  EXPECT_EQ(sent.find("Failed")->array()[0].find("Code")->string(), "InvalidParameterValue");
  EXPECT_THAT(sent.find("Failed")->array()[0].find("Message")->string(),
              HasSubstr("Message must be shorter than 1024 bytes."));
  const auto message = world.receive("q").at(0);
  const auto hidden =
      world.ask("ChangeMessageVisibilityBatch",
                World::of_queue("q", base::cat(R"("Entries":[{"Id":"a","ReceiptHandle":")", message.handle,
                                               R"(","VisibilityTimeout":7},{"Id":"b","ReceiptHandle":"x"}])")));
  EXPECT_THAT(hidden.find("Successful")->array(), SizeIs(1));
  EXPECT_THAT(hidden.find("Failed")->array(), SizeIs(1));
  const auto removed = world.ask(
      "DeleteMessageBatch", World::of_queue("q", base::cat(R"("Entries":[{"Id":"a","ReceiptHandle":")", message.handle,
                                                           R"("},{"Id":"b","ReceiptHandle":"x"}])")));
  EXPECT_THAT(removed.find("Successful")->array(), SizeIs(1));
  EXPECT_EQ(removed.find("Failed")->array()[0].find("Code")->string(), "ReceiptHandleIsInvalid");
  EXPECT_EQ(world.counts("q"), "0 0 0");
}

TEST(MessagesTest, WholeBatchesAreRefused) {
  World world;
  world.create_queue("q");
  const auto batch = [&](std::string_view entries) {
    return world.run("SendMessageBatch", World::of_queue("q", base::cat(R"("Entries":[)", entries, "]")));
  };
  EXPECT_THAT(batch(""), StartsWith("EmptyBatchRequest: There should be at least one SendMessageBatchRequestEntry"));
  EXPECT_THAT(batch(R"({"Id":"a b","MessageBody":"x"})"), StartsWith("InvalidBatchEntryId: A batch entry id can only"));
  EXPECT_EQ(batch(R"({"Id":"a","MessageBody":"x"},{"Id":"a","MessageBody":"x"})"),
            "BatchEntryIdsNotDistinct: Id a repeated.");
  std::string many;
  for (int i = 0; i < 20; ++i) many += base::cat(i ? "," : "", R"({"Id":"i)", i, R"(","MessageBody":"x"})");
  EXPECT_EQ(batch(many),
            "TooManyEntriesInBatchRequest: Maximum number of entries per request are 10. You have sent 20.");
  const std::string half(600'000, 'x');
  EXPECT_EQ(batch(base::cat(R"({"Id":"a","MessageBody":")", half, R"("},{"Id":"b","MessageBody":")", half, "\"}")),
            "BatchRequestTooLong: Batch requests cannot be longer than 1048576 bytes. You have sent 1200000 bytes.");
}

TEST(MessagesTest, AttributesAreKeptSelectedAndDigested) {
  World world;
  world.create_queue("q");
  const auto sent =
      world.send("q", R"("MessageBody":"x","MessageAttributes":{"a.one":{"DataType":"String","StringValue":"1"},
      "a.two":{"DataType":"Number.int","StringValue":"2"},"b":{"DataType":"Binary","BinaryValue":"aGk="}},
      "MessageSystemAttributes":{"AWSTraceHeader":{"DataType":"String","StringValue":"Root=1"}})");
  const auto all = world.receive("q", R"("VisibilityTimeout":0)").at(0);
  EXPECT_EQ(all.message.find("MD5OfMessageAttributes")->string(), sent.find("MD5OfMessageAttributes")->string());
  EXPECT_NE(sent.find("MD5OfMessageSystemAttributes"), nullptr);
  EXPECT_EQ(all.attribute("AWSTraceHeader"), "Root=1");
  EXPECT_EQ(json::write(*all.message.find("MessageAttributes")),
            R"({"a.one":{"StringValue":"1","DataType":"String"},"a.two":{"StringValue":"2","DataType":"Number.int"},)"
            R"("b":{"BinaryValue":"aGk=","DataType":"Binary"}})");
  const auto some =
      World::received(world.run("ReceiveMessage", World::of_queue("q", R"("MessageAttributeNames":["a.*"])"))).at(0);
  EXPECT_THAT(some.message.find("MessageAttributes")->object(), SizeIs(2));
  EXPECT_NE(some.message.find("MD5OfMessageAttributes")->string(), sent.find("MD5OfMessageAttributes")->string());
}

TEST(MessagesTest, WhatCannotBeSentIsRefusedInAwsWords) {
  World world;
  world.create_queue("q");
  const auto send = [&](std::string_view members) { return world.run("SendMessage", World::of_queue("q", members)); };
  EXPECT_EQ(send(R"("MessageBody":"")"),
            "MissingRequiredParameterException: The request must contain the parameter MessageBody.");
  EXPECT_THAT(send(R"("MessageBody":"\u0001")"), StartsWith("InvalidMessageContents: Invalid characters found."));
  EXPECT_EQ(send(base::cat(R"("MessageBody":")", std::string(1'048'577, 'x'), "\"")),
            "InvalidParameterValueException: One or more parameters are invalid. Reason: Message must be shorter than "
            "1048576 bytes.");
  EXPECT_EQ(
      send(R"("MessageBody":"x","MessageAttributes":{"X":{"DataType":"String","StringValue":""}})"),
      "InvalidParameterValueException: Message (user) attribute 'X' must contain a non-empty value of type 'String'.");
  EXPECT_THAT(send(R"("MessageBody":"x","MessageAttributes":{"aws.X":{"DataType":"String","StringValue":"1"}})"),
              StartsWith("InvalidParameterValueException: Message (user) attribute name 'aws.X' is invalid"));
  EXPECT_THAT(send(R"("MessageBody":"x","MessageDeduplicationId":"1")"),
              HasSubstr("The request includes a parameter that is not valid for this queue type"));
  EXPECT_THAT(send(R"("MessageBody":"x","MessageGroupId":"a b")"), HasSubstr("MessageGroupId can only include"));
  EXPECT_EQ(world.run("SendMessage", World::of_queue("nowhere", R"("MessageBody":"x")")),
            "QueueDoesNotExist: The specified queue does not exist.");
}

TEST(MessagesTest, WhatCannotBeReceivedIsRefusedInAwsWords) {
  World world;
  world.create_queue("q");
  const auto receive = [&](std::string_view members) {
    return world.run("ReceiveMessage", World::of_queue("q", members));
  };
  EXPECT_EQ(receive(R"("MaxNumberOfMessages":11)"),
            "InvalidParameterValueException: Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be "
            "between 1 "
            "and 10, if provided.");
  EXPECT_EQ(receive(R"("WaitTimeSeconds":21)"),
            "InvalidParameterValueException: Value 21 for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 "
            "and <= 20, "
            "if provided.");
  EXPECT_EQ(receive(R"("AttributeNames":["Nonsense"])"), "InvalidAttributeName: Unknown Attribute Nonsense.");
}

TEST(MessagesTest, AStandardQueueKeepsGroupIds) {
  World world;
  world.create_queue("q");
  world.send("q", R"("MessageBody":"x","MessageGroupId":"tenant-1")");
  EXPECT_EQ(world.receive("q").at(0).attribute("MessageGroupId"), "tenant-1");
}

TEST(MessagesTest, MessagesOutliveACrashAndPositionsDoNotComeAgain) {
  World world;
  world.create_queue("q");
  world.send("q", R"("MessageBody":"before")");
  world.crash();
  world.send("q", R"("MessageBody":"after")");
  EXPECT_THAT(World::bodies(world.receive("q")), ElementsAre("before", "after"));
}

TEST(MessagesTest, NoMoreThanTheQuotaAreInFlight) {
  World world(1, store::SimFaults::none(), {.in_flight_max = 3});
  world.create_queue("q", R"("VisibilityTimeout":"30")");
  world.send("q", R"("MessageBody":"late","DelaySeconds":900)");
  for (const char* body : {"1", "2", "3", "4", "5"}) world.send("q", base::cat(R"("MessageBody":")", body, "\""));
  const auto first = world.receive("q");
  EXPECT_THAT(World::bodies(first), ElementsAre("1", "2", "3")) << "one that is only delayed does not count";
  const std::string short_poll = World::of_queue("q");
  const std::string over =
      "OverLimit: Too many messages have been received without being deleted. Please delete your received messages or let "
      "them timeout before receiving more.";
  EXPECT_EQ(world.run("ReceiveMessage", short_poll), over);
  const auto waiting = world.start("ReceiveMessage", World::of_queue("q", R"("WaitTimeSeconds":20)"));
  world.advance(5s);
  EXPECT_FALSE(waiting->done) << "who waits is not refused";
  world.remove("q", first[0]);
  world.advance(InFlight::kCountedAgainAfter);
  EXPECT_THAT(World::bodies(World::received(waiting->answer)), ElementsAre("4"));
  EXPECT_EQ(world.run("ReceiveMessage", short_poll), over);

  world.crash();
  EXPECT_EQ(world.run("ReceiveMessage", short_poll), over) << "they are counted in the store";
  world.advance(60s);
  EXPECT_THAT(world.receive("q"), SizeIs(3)) << "those that came back are in flight no longer";
}

// The server was started again on what is stored, an hour earlier by the machine's clock.
TEST(MessagesTest, WhatWasSentBeforeTheClockWentBackIsAvailableUnlessSomethingHidesIt) {
  World before;
  before.create_queue("q");
  before.create_queue("q.fifo");
  before.advance(1h);
  before.send("q", R"("MessageBody":"in flight")");
  EXPECT_EQ(before.receive("q").size(), 1u);
  before.send("q", R"("MessageBody":"delayed","DelaySeconds":10)");
  before.send("q", R"("MessageBody":"small")");
  before.send("q", base::cat(R"("MessageBody":")", std::string(5000, 'x'), "\""));
  before.send_fifo("q.fifo", "locked", "g", "1");
  EXPECT_EQ(before.receive("q.fifo").size(), 1u);
  before.send_fifo("q.fifo", "behind it", "g", "2");
  before.send_fifo("q.fifo", "free", "h", "3");
  before.settle();
  World after;
  after.disk = before.disk;
  after.crash();
  EXPECT_EQ(World::bodies(after.receive("q")), (std::vector<std::string>{"small", std::string(5000, 'x')}));
  EXPECT_THAT(World::bodies(after.receive("q.fifo")), ElementsAre("free"));
  EXPECT_TRUE(after.receive("q").empty());
  after.send("q", R"("MessageBody":"new")");
  EXPECT_THAT(World::bodies(after.receive("q")), ElementsAre("new"));
  after.advance(1h + 30s);
  EXPECT_EQ(after.receive("q").size(), 5u);
}

}  // namespace
}  // namespace tidemill::sqs
