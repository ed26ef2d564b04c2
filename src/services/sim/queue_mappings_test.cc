// What becomes of the messages of a mapping of a queue, one behaviour after the other, over real queues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/sim/queue_mappings_testing.h"

namespace tidemill::sim {
namespace {

using engine::InvokeOutcome;
using engine::InvokeStatus;
using engine::MappingState;
using namespace std::chrono_literals;

// ---- the way of a message ---------------------------------------------------------------------------------------

TEST_F(QueueMappings, AMessageReachesTheFunctionAndIsRemoved) {
  start("q");
  EXPECT_EQ(platform.mapping_state(), MappingState::enabled);
  send("a");
  platform.settle();
  EXPECT_EQ(platform.delivered(), "a");
  EXPECT_EQ(platform.counts("q"), "0 0 0");
  platform.advance(1h);
  EXPECT_EQ(platform.delivered(), "a");
}

TEST_F(QueueMappings, WhatWasSentBeforeTheMappingIsDelivered) {
  send("a");
  send("b");
  start("q");
  EXPECT_EQ(platform.delivered(), "a b");
}

TEST_F(QueueMappings, DelayedMessagesComeWhenTheirDelayIsOver) {
  start("q");
  platform.send("q", R"("MessageBody":"late","DelaySeconds":60)");
  platform.advance(59s);
  EXPECT_EQ(platform.delivered(), "");
  platform.advance(1s);
  EXPECT_EQ(platform.delivered(), "late");
}

TEST_F(QueueMappings, ARecordIsShapedAsOnAws) {
  start("q");
  platform.send("q", R"("MessageBody":"hello \"you\"","MessageAttributes":{)"
                     R"("count":{"DataType":"Number","StringValue":"7"},)"
                     R"("raw":{"DataType":"Binary","BinaryValue":"AAEC"}},)"
                     R"("MessageSystemAttributes":{"AWSTraceHeader":{"DataType":"String","StringValue":"Root=1"}})");
  platform.settle();
  ASSERT_EQ(platform.functions.calls.size(), 1u);
  const QueueCall& call = platform.functions.calls[0];
  EXPECT_EQ(
      call.payload,
      base::cat(R"({"Records":[{"messageId":")", call.records[0].id, R"(","receiptHandle":")", call.records[0].receipt,
                R"(","body":"hello \"you\"","attributes":{"ApproximateReceiveCount":"1","AWSTraceHeader":"Root=1",)"
                R"("SentTimestamp":"1773446400000","SenderId":"000000000000",)"
                R"("ApproximateFirstReceiveTimestamp":"1773446400000"},"messageAttributes":{"count":{"stringValue":"7",)"
                R"("stringListValues":[],"binaryListValues":[],"dataType":"Number"},"raw":{"binaryValue":"AAEC",)"
                R"("stringListValues":[],"binaryListValues":[],"dataType":"Binary"}},)"
                R"("md5OfMessageAttributes":"70b9e35e49a4a86812464f5c63bb85e1",)"
                R"("md5OfBody":"1994c59d30b328294d687f55014b20b5","eventSource":"aws:sqs",)"
                R"("eventSourceARN":"arn:aws:sqs:us-east-1:000000000000:q","awsRegion":"us-east-1"}]})"));
}

TEST_F(QueueMappings, ARecordOfAFifoQueueHasItsAttributes) {
  start("q.fifo");
  send_fifo("g", "a");
  platform.settle();
  const std::string& payload = platform.functions.calls.at(0).payload;
  EXPECT_THAT(payload, ::testing::HasSubstr(R"("MessageGroupId":"g")"));
  EXPECT_THAT(payload, ::testing::HasSubstr(R"("MessageDeduplicationId":"a")"));
  EXPECT_THAT(payload, ::testing::ContainsRegex(R"("SequenceNumber":"[0-9]{20}")"));
  EXPECT_THAT(payload, ::testing::HasSubstr(R"("messageAttributes":{},"md5OfMessageAttributes":null)"));
}

TEST_F(QueueMappings, AnIdleMappingDoesNothing) {
  start("q");
  const uint64_t commits = platform.store->metrics().commits;
  platform.advance(24h);
  EXPECT_EQ(platform.store->metrics().commits, commits);
  send("a");
  platform.settle();
  EXPECT_EQ(platform.delivered(), "a");
}

// ---- batches ----------------------------------------------------------------------------------------------------

TEST_F(QueueMappings, BatchesHaveAtMostTheirSize) {
  for (int i = 0; i < 7; ++i) send(std::to_string(i));
  start("q", [](engine::Mapping& mapping) { mapping.batch_size = 3; });
  EXPECT_EQ(platform.delivered(), "0 1 2 | 3 4 5 | 6");
}

TEST_F(QueueMappings, AWindowGathersUntilItsEnd) {
  start("q", [](engine::Mapping& mapping) { mapping.batching_window_seconds = 5; });
  send("a");
  platform.advance(3s);
  send("b");
  platform.advance(1999ms);
  EXPECT_EQ(platform.delivered(), "");
  platform.advance(1ms);
  EXPECT_EQ(platform.delivered(), "a b");
  send("c");
  platform.advance(5s);
  EXPECT_EQ(platform.delivered(), "a b | c");
}

TEST_F(QueueMappings, AFullBatchDoesNotWaitForItsWindow) {
  start("q", [](engine::Mapping& mapping) {
    mapping.batching_window_seconds = 300;
    mapping.batch_size = 2;
  });
  for (const char* body : {"a", "b", "c"}) send(body);
  platform.settle();
  EXPECT_EQ(platform.delivered(), "a b");
  platform.advance(300s);
  EXPECT_EQ(platform.delivered(), "a b | c");
}

TEST_F(QueueMappings, ABatchOfThousandsIsGatheredWithinItsWindow) {
  constexpr int kMessages = 2'500;
  for (int i = 0; i < kMessages; ++i) platform.start("SendMessage", QueuePlatform::of_queue("q", R"("MessageBody":"m")"));
  platform.settle();
  start("q", [](engine::Mapping& mapping) {
    mapping.batching_window_seconds = 1;
    mapping.batch_size = 10'000;
  });
  platform.advance(1s);
  ASSERT_EQ(platform.functions.calls.size(), 1u);
  EXPECT_EQ(platform.functions.calls[0].records.size(), size_t{kMessages});
  EXPECT_EQ(platform.counts("q"), "0 0 0");
}

TEST_F(QueueMappings, ABatchEndsBeforeSixMegabytes) {
  const std::string megabyte(1'000'000, 'x');
  for (int i = 0; i < 7; ++i) send(megabyte);
  start("q", [](engine::Mapping& mapping) { mapping.batching_window_seconds = 1; });
  platform.advance(1s);
  ASSERT_EQ(platform.functions.calls.size(), 2u);
  EXPECT_EQ(platform.functions.calls[0].records.size(), 6u);
  EXPECT_EQ(platform.functions.calls[1].records.size(), 1u);
}

TEST_F(QueueMappings, OfAGroupTheRestOfALargeBatchFollowsWhenTheFirstPartIsDone) {
  const std::string megabyte(1'000'000, 'x');
  for (int i = 0; i < 8; ++i) send_fifo("g", base::cat(i, megabyte));
  block();
  start("q.fifo");
  ASSERT_EQ(platform.functions.calls.size(), 1u);
  EXPECT_EQ(platform.functions.calls[0].records.size(), 6u);
  release();
  ASSERT_EQ(platform.functions.calls.size(), 2u);
  EXPECT_EQ(platform.functions.calls[1].records.front().body.front(), '6');
  release();
  EXPECT_EQ(platform.counts("q.fifo"), "0 0 0");
}

// ---- failures ---------------------------------------------------------------------------------------------------

TEST_F(QueueMappings, AFailedBatchComesBackAfterTheVisibilityTimeout) {
  fail();
  start("q");
  send("a");
  platform.settle();
  EXPECT_EQ(platform.counts("q"), "0 1 0");
  platform.functions.handler = {};
  platform.advance(29s);
  EXPECT_EQ(platform.delivered(), "a");
  platform.advance(1s);
  EXPECT_EQ(platform.delivered(), "a | a");
  EXPECT_EQ(platform.functions.calls.back().records[0].receives, 2);
  EXPECT_EQ(platform.counts("q"), "0 0 0");
}

TEST_F(QueueMappings, WhatFailsTooOftenGoesToTheDeadLetterQueue) {
  platform.create_queue("dead");
  platform.create_queue_with_target("source", "dead", 2);
  fail();
  start("source");
  platform.send("source", R"("MessageBody":"poison")");
  platform.advance(5min);
  EXPECT_EQ(platform.delivered(), "poison | poison");
  EXPECT_EQ(platform.counts("source"), "0 0 0");
  EXPECT_EQ(platform.counts("dead"), "1 0 0");
}

TEST_F(QueueMappings, AMappingOfADeadLetterQueueIsToldWhereMessagesComeFrom) {
  platform.create_queue("dead");
  platform.create_queue_with_target("source", "dead", 1);
  start("dead");
  platform.send("source", R"("MessageBody":"poison")");
  platform.receive("source");
  platform.advance(31s);
  platform.receive("source");
  platform.settle();
  ASSERT_EQ(platform.delivered(), "poison");
  EXPECT_THAT(platform.functions.calls[0].payload,
              ::testing::HasSubstr(R"("DeadLetterQueueSourceArn":"arn:aws:sqs:us-east-1:000000000000:source")"));
}

TEST_F(QueueMappings, ReportedMessagesComeBackAndTheOthersAreRemoved) {
  for (const char* body : {"a", "b", "c"}) send(body);
  platform.functions.handler = [](QueueCall call) -> Task<InvokeOutcome> {
    std::string failed;
    for (const QueueRecord& record : call.records) {
      if (record.body == "b" && record.receives == 1) failed = record.id;
    }
    co_return failed.empty() ? answering("{}")
                             : answering(base::cat(R"({"batchItemFailures":[{"itemIdentifier":")", failed, "\"}]}"));
  };
  start("q", [](engine::Mapping& mapping) { mapping.report_item_failures = true; });
  EXPECT_EQ(platform.counts("q"), "0 1 0");
  platform.advance(30s);
  EXPECT_EQ(platform.delivered(), "a b c | b");
  EXPECT_EQ(platform.counts("q"), "0 0 0");
}

TEST_F(QueueMappings, AnAnswerThatCannotBeReadFailsTheWholeBatch) {
  for (const char* text : {R"({"batchItemFailures":[{"itemIdentifier":"unknown"}]})", R"("no answer")",
                           R"({"batchItemFailures":[{"itemIdentifier":""}]})"}) {
    platform.run("PurgeQueue", QueuePlatform::of_queue("q"));
    send("a");
    answer(text);
    start("q", [](engine::Mapping& mapping) { mapping.report_item_failures = true; });
    EXPECT_EQ(platform.counts("q"), "0 1 0") << text;
    platform.advance(2min);
  }
}

TEST_F(QueueMappings, WithoutTheSettingTheAnswerDoesNotMatter) {
  answer(R"({"batchItemFailures":[{"itemIdentifier":""}]})");
  start("q");
  send("a");
  platform.settle();
  EXPECT_EQ(platform.counts("q"), "0 0 0");
}

TEST_F(QueueMappings, AThrottledBatchIsTriedAgainWhileItsMessagesAreHidden) {
  fail(InvokeStatus::throttled);
  start("q");
  send("a");
  platform.advance(2s);
  const size_t throttled = platform.functions.calls.size();
  EXPECT_GT(throttled, 1u);
  platform.functions.handler = {};
  platform.advance(5s);
  EXPECT_EQ(platform.functions.calls.size(), throttled + 1);
  EXPECT_EQ(platform.functions.calls.back().records[0].receives, 1);
  EXPECT_EQ(platform.counts("q"), "0 0 0");
}

TEST_F(QueueMappings, AThrottledBatchIsTriedAsSoonAsThereIsAPlace) {
  fail(InvokeStatus::throttled);
  start("q");
  send("a");
  platform.advance(2s);
  const size_t throttled = platform.functions.calls.size();
  platform.functions.handler = {};
  ASSERT_EQ(platform.functions.line.size(), 1u);
  platform.functions.line.call_next();
  platform.settle();
  EXPECT_EQ(platform.functions.calls.size(), throttled + 1);
  EXPECT_EQ(platform.counts("q"), "0 0 0");
  EXPECT_EQ(platform.functions.line.size(), 0u);
}

TEST_F(QueueMappings, AThrottledBatchIsTriedAgainAlsoWhereTheFunctionMayRunAsLongAsItIsHidden) {
  platform.functions.function_timeout = 30s;
  fail(InvokeStatus::throttled);
  start("q");
  send("a");
  platform.advance(2s);
  EXPECT_GT(platform.functions.calls.size(), 1u);
  block();
  platform.advance(2s);
  ASSERT_EQ(blocked.size(), 1u);
  const size_t calls = platform.functions.calls.size();
  platform.advance(29s);  // longer than the queue's own timeout, and within the function's
  EXPECT_EQ(platform.functions.calls.size(), calls);
  EXPECT_EQ(platform.functions.calls.back().records[0].receives, 1);
  release();
  EXPECT_EQ(platform.counts("q"), "0 0 0");
}

TEST_F(QueueMappings, HoweverLongTheFunctionMayRunWhatIsThrottledComesBackWhenTheQueueSays) {
  platform.functions.function_timeout = 30s;
  fail(InvokeStatus::throttled);
  start("q");
  send("a");
  platform.advance(29s);
  EXPECT_EQ(platform.functions.calls.back().records[0].receives, 1);
  platform.advance(2s);
  EXPECT_EQ(platform.functions.calls.back().records[0].receives, 2);
}

TEST_F(QueueMappings, WhatIsThrottledForTooLongComesBack) {
  fail(InvokeStatus::throttled);
  start("q");
  send("a");
  platform.advance(30s);
  EXPECT_EQ(platform.functions.calls.back().records[0].receives, 2);
}

TEST_F(QueueMappings, WhileTheFunctionIsThrottledNothingElseIsTaken) {
  fail(InvokeStatus::throttled);
  start("q", [](engine::Mapping& mapping) { mapping.batch_size = 1; });
  send("a");
  platform.settle();
  send("b");
  platform.settle();
  EXPECT_EQ(platform.counts("q"), "1 1 0");
  platform.advance(10s);
  EXPECT_GT(platform.functions.calls.size(), 3u);
  EXPECT_EQ(platform.counts("q"), "1 1 0") << "nor after further tries that were refused";
}

TEST_F(QueueMappings, AsSoonAsAThrottledBatchHasItsPlaceTheNextIsTaken) {
  fail(InvokeStatus::throttled);
  start("q", [](engine::Mapping& mapping) { mapping.batch_size = 1; });
  send("a");
  platform.settle();
  send("b");
  platform.settle();
  block();
  platform.functions.line.call_next();
  platform.settle();
  ASSERT_EQ(blocked.size(), 1u);
  platform.advance(1s);
  EXPECT_EQ(blocked.size(), 2u) << "while the first still runs";
  release();
  EXPECT_EQ(platform.counts("q"), "0 0 0");
}

// ---- groups -----------------------------------------------------------------------------------------------------

TEST_F(QueueMappings, GroupsRunBesideEachOtherWithOneBatchEach) {
  for (const char* body : {"a1", "a2", "a3"}) send_fifo("a", body);
  for (const char* body : {"b1", "b2"}) send_fifo("b", body);
  block();
  start("q.fifo", [](engine::Mapping& mapping) { mapping.batch_size = 2; });
  EXPECT_EQ(platform.delivered(), "a1 a2 | b1 b2");
  release();
  EXPECT_EQ(platform.delivered(), "a1 a2 | b1 b2 | a3");
  release();
  EXPECT_EQ(platform.counts("q.fifo"), "0 0 0");
}

TEST_F(QueueMappings, AFailingMessageHoldsUpItsGroupOnly) {
  platform.functions.handler = [](QueueCall call) -> Task<InvokeOutcome> {
    co_return call.records[0].body == "a1" && call.records[0].receives == 1 ? failing() : InvokeOutcome{};
  };
  start("q.fifo", [](engine::Mapping& mapping) { mapping.batch_size = 1; });
  for (const char* body : {"a1", "a2"}) send_fifo("a", body);
  for (const char* body : {"b1", "b2"}) send_fifo("b", body);
  platform.settle();
  EXPECT_EQ(platform.delivered(), "a1 | b1 | b2");
  platform.advance(30s);
  EXPECT_EQ(platform.delivered(), "a1 | b1 | b2 | a1 | a2");
}

// ---- filters ----------------------------------------------------------------------------------------------------

TEST_F(QueueMappings, FilteredMessagesAreRemovedAndDoNotCount) {
  for (const char* body : {R"({\"n\":1})", R"({\"n\":2})", "text", R"({\"n\":3})"}) send(body);
  start("q", [](engine::Mapping& mapping) {
    mapping.filters = {R"({"body":{"n":[{"numeric":[">",1]}]}})"};
    mapping.batch_size = 2;
    mapping.count_events = true;
  });
  EXPECT_EQ(platform.delivered(), R"({"n":2} {"n":3})");
  EXPECT_EQ(platform.counts("q"), "0 0 0");
  gather();
  EXPECT_EQ(counted("PolledEventCount"), 4);
  EXPECT_EQ(counted("FilteredOutEventCount"), 2);
  EXPECT_EQ(counted("InvokedEventCount"), 2);
  EXPECT_EQ(counted("DeletedEventCount"), 4);
  EXPECT_EQ(counted("FailedInvokeEventCount"), 0);
}

TEST_F(QueueMappings, WhatAMappingReceivesAndRemovesIsCountedByItsQueue) {
  start("q");
  for (const char* body : {"a", "b"}) send(body);
  platform.settle();
  gather();
  EXPECT_EQ(counted("NumberOfMessagesReceived", "q"), 2);
  EXPECT_EQ(counted("NumberOfMessagesDeleted", "q"), 2);
}

TEST_F(QueueMappings, OnlyAMappingThatAsksForItCountsEvents) {
  fail();
  start("q", [](engine::Mapping& mapping) { mapping.count_events = true; });
  send("a");
  platform.settle();
  gather();
  EXPECT_EQ(counted("FailedInvokeEventCount"), 1);
  platform.change_mapping(MappingState::updating, [](engine::Mapping& mapping) { mapping.count_events = false; });
  send("b");
  platform.settle();
  gather();
  EXPECT_EQ(counted("PolledEventCount"), 0);
}

// ---- visibility -------------------------------------------------------------------------------------------------

TEST_F(QueueMappings, WithoutAWindowTheQueuesOwnTimeoutHolds) {
  platform.functions.function_timeout = 900s;
  fail();
  start("q");
  send("a");
  platform.advance(30s);
  EXPECT_EQ(platform.functions.calls.size(), 2u);
}

TEST_F(QueueMappings, AWindowAndALongFunctionStretchTheTimeout) {
  platform.functions.function_timeout = 40s;
  fail();
  start("q", [](engine::Mapping& mapping) { mapping.batching_window_seconds = 10; });
  send("a");
  platform.advance(10s);
  ASSERT_EQ(platform.functions.calls.size(), 1u);
  // 10 s of window, 40 s of the function and 30 s more, and then the window again.
  expect_second_call(79s, 1s);
}

TEST_F(QueueMappings, TheTimeoutIsThatOfTheMomentInWhichMessagesAreTaken) {
  fail();
  start("q");
  platform.run("SetQueueAttributes", QueuePlatform::of_queue("q", R"("Attributes":{"VisibilityTimeout":"100"})"));
  send("a");
  expect_second_call(99s, 1s);
}

TEST_F(QueueMappings, AFunctionThatGotMoreTimeMeanwhileIsTakenIntoAccount) {
  fail();
  start("q", [](engine::Mapping& mapping) { mapping.batching_window_seconds = 1; });
  platform.functions.function_timeout = 100s;
  send("a");
  expect_second_call(130s, 2s);
}

}  // namespace
}  // namespace tidemill::sim
