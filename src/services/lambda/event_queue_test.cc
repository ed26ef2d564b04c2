#include "services/lambda/event_world.h"
#include "services/lambda/lineage.h"

namespace tidemill::lambda {
namespace {

using namespace std::chrono_literals;
using testing::Sent;
using testing::World;

// Answers what `attempts` says, one after the other; the last one again and again.
World::Handler script(std::vector<EventAttempt> attempts, int& calls) {
  return [attempts = std::move(attempts), &calls](FunctionReference, Event) {
    const size_t at = std::min(static_cast<size_t>(calls++), attempts.size() - 1);
    return Task<EventAttempt>::ready(attempts[at]);
  };
}

TEST(EventQueueTest, AnEventRunsTheFunctionOnceWithItsPayloadAndRequestId) {
  World world;
  std::vector<Event> seen;
  world.handler = [&](FunctionReference, Event event) {
    seen.push_back(std::move(event));
    return Task<EventAttempt>::ready(World::answers("1"));
  };
  world.send("r1", R"({"a":1})");
  world.advance(24h);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].payload, R"({"a":1})");
  EXPECT_EQ(seen[0].request_id, "r1");
  EXPECT_TRUE(world.sent.empty());
  EXPECT_EQ(world.metric("AsyncEventsReceived"), 1);
  EXPECT_EQ(world.metric("AsyncEventsDropped"), 0);
}

TEST(EventQueueTest, EventsOfOneRegionDoNotKeepThoseOfAnotherWaiting) {
  std::vector<std::string> running;  // regions
  const base::Signal ends;
  World world;
  world.handler = [&](FunctionReference function, Event) -> Task<EventAttempt> {
    running.push_back(function.address.region);
    co_await ends;
    co_return World::answers("1");
  };
  for (size_t n = 0; n <= kConcurrentEventsMax; ++n) world.send(base::cat("r", n), "{}");
  world.settle();
  EXPECT_EQ(running.size(), kConcurrentEventsMax);
  FunctionReference elsewhere = World::function();
  elsewhere.address.region = "eu-west-1";
  const auto send = [&]() -> Task<int> {
    co_await world.events->enqueue(elsewhere, {.request_id = "e", .payload = "{}"}, world.clock.now());
    co_return 0;
  };
  (void)world.await(send());
  world.settle();
  ASSERT_EQ(running.size(), kConcurrentEventsMax + 1);
  EXPECT_EQ(running.back(), "eu-west-1");
}

TEST(EventQueueTest, AFunctionThatFailsIsTriedAgainAfterOneMinuteAndTwoMore) {
  World world;
  int calls = 0;
  world.handler = script({World::fails()}, calls);
  world.send("r1", "{}");
  world.settle();
  EXPECT_EQ(calls, 1);
  world.advance(59s);
  EXPECT_EQ(calls, 1);
  world.advance(1s);
  EXPECT_EQ(calls, 2);
  world.advance(119s);
  EXPECT_EQ(calls, 2);
  world.advance(1s);
  EXPECT_EQ(calls, 3);
  world.advance(24h);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(world.metric("AsyncEventsDropped"), 1);
}

TEST(EventQueueTest, TheRecordOfASuccessIsAsAwsWritesIt) {
  World world;
  world.configure({.on_success = testing::kQueueArn});
  world.handler = [](FunctionReference, Event) { return Task<EventAttempt>::ready(World::answers(R"({"ok":true})")); };
  world.send("r1", R"({"a": [1]})");
  world.settle();
  ASSERT_EQ(world.sent.size(), 1U);
  EXPECT_EQ(world.sent[0].to, "sqs q");
  EXPECT_EQ(world.sent[0].body,
            R"({"version":"1.0","timestamp":"2026-03-14T00:00:00.000Z","requestContext":{"requestId":"r1",)"
            R"("functionArn":"arn:aws:lambda:us-east-1:000000000000:function:f:$LATEST","condition":"Success",)"
            R"("approximateInvokeCount":1},"requestPayload":{"a": [1]},"responseContext":{"statusCode":200,)"
            R"("executedVersion":"$LATEST"},"responsePayload":{"ok":true}})");
}

TEST(EventQueueTest, TheRecordOfAFailureTellsTheLastError) {
  World world;
  world.configure({.retry_attempts_max = 1, .on_failure = testing::kTopicArn});
  int calls = 0;
  world.handler = script({World::fails()}, calls);
  world.send("r1", "5");
  world.advance(10min);
  EXPECT_EQ(calls, 2);
  ASSERT_EQ(world.sent.size(), 1U);
  EXPECT_EQ(world.sent[0].to, base::cat("sns ", testing::kTopicArn));
  EXPECT_EQ(world.sent[0].body,
            R"({"version":"1.0","timestamp":"2026-03-14T00:01:00.000Z","requestContext":{"requestId":"r1",)"
            R"("functionArn":"arn:aws:lambda:us-east-1:000000000000:function:f:$LATEST","condition":"RetriesExhausted",)"
            R"("approximateInvokeCount":2},"requestPayload":5,"responseContext":{"statusCode":200,)"
            R"("executedVersion":"$LATEST","functionError":"Unhandled"},)"
            R"("responsePayload":{"errorMessage":"broken","errorType":"Exception"}})");
}

TEST(EventQueueTest, FailuresGoToABucketUnderTheFunctionsNameAndTheTime) {
  World world;
  world.configure({.retry_attempts_max = 0, .on_failure = testing::kBucketArn});
  int calls = 0;
  world.handler = script({World::fails()}, calls);
  world.send("r1", "5");
  world.settle();
  ASSERT_EQ(world.sent.size(), 1U);
  EXPECT_EQ(world.sent[0].to, "s3 b aws/lambda/async/f/2026/03/14/2026-03-14T00.00.00-r1");
}

TEST(EventQueueTest, AFunctionAsADestinationGetsTheRecordAsAnEvent) {
  World world;
  const std::string other = "arn:aws:lambda:us-east-1:000000000000:function:other";
  world.configure({.on_success = other});
  world.send("r1", "5");
  world.settle();
  ASSERT_EQ(world.sent.size(), 1U);
  EXPECT_EQ(world.sent[0].to, "Event " + other);
}

// Or functions that are each other's destinations would run for ever.
TEST(EventQueueTest, AFunctionAsADestinationIsCalledInTheChainThatItsSourceWasCalledIn) {
  World world;
  const std::string other = "arn:aws:lambda:us-east-1:000000000000:function:other";
  const std::string own = World::function().address.arn();
  world.configure({.retry_attempts_max = 1, .on_success = other, .on_failure = other});
  world.send("r1", "5");
  world.settle();
  Lineage before;
  before.add(other);
  before.add(own);
  world.send("r2", "5", before.header());
  world.settle();
  world.handler = [](FunctionReference, Event) { return Task<EventAttempt>::ready(World::fails()); };
  world.send("r3", "5");
  world.advance(10min);
  ASSERT_EQ(world.sent.size(), 3U);
  EXPECT_EQ(Lineage(world.sent[0].trace_header).count(own), 1);
  EXPECT_EQ(Lineage(world.sent[1].trace_header).count(own), 2);
  EXPECT_EQ(Lineage(world.sent[1].trace_header).count(other), 1);
  EXPECT_EQ(Lineage(world.sent[2].trace_header).count(own), 1);  // two attempts, and one call of the chain
}

TEST(EventQueueTest, ThrottledEventsAreTriedUntilTheyAreTooOldAndCountNoAttempts) {
  World world;
  world.configure({.age_seconds_max = 60, .on_failure = testing::kQueueArn});
  int calls = 0;
  world.handler = script({{.status = engine::InvokeStatus::throttled}}, calls);
  world.send("r1", "{}");
  world.advance(1h);
  EXPECT_EQ(calls, 7);  // at once, after 1, 3, 7, 15 and 31 seconds, and when the minute is over
  EXPECT_EQ(world.line.size(), 0U);
  ASSERT_EQ(world.sent.size(), 1U);
  const json::Value record = World::parse(world.sent[0].body);
  EXPECT_EQ(record.find("requestContext")->find("condition")->string(), "EventAgeExceeded");
  EXPECT_EQ(*record.find("requestContext")->find("approximateInvokeCount")->to_double(), 0);
  EXPECT_EQ(*record.find("responseContext")->find("statusCode")->to_double(), 429);
  EXPECT_FALSE(record.find("responsePayload"));
}

TEST(EventQueueTest, AThrottledEventRunsAsSoonAsThereIsAPlaceForIt) {
  World world;
  int calls = 0;
  world.handler = script({{.status = engine::InvokeStatus::throttled},
                          {.status = engine::InvokeStatus::throttled},
                          {.status = engine::InvokeStatus::throttled},
                          World::answers("1")}, calls);
  world.send("r1", "{}");
  world.advance(10s);  // at once, after 1, 3 and 7 seconds
  EXPECT_EQ(calls, 4);
  calls = 0;
  world.send("r2", "{}");
  world.advance(4s);
  EXPECT_EQ(calls, 3);
  ASSERT_EQ(world.line.size(), 1U);
  world.line.call_next();
  world.settle();
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(world.line.size(), 0U);
  world.advance(24h);
  EXPECT_EQ(calls, 4);
}

// A function with one place, which is taken for 200 ms each time: as fast as they run, and in their order.
TEST(EventQueueTest, APlaceThatBecomesFreeGoesToTheOldestEventAtOnce) {
  World world;
  std::vector<std::string> ran;
  bool taken = false;
  world.handler = [&](FunctionReference, Event event) -> Task<EventAttempt> {
    if (taken) co_return EventAttempt{.status = engine::InvokeStatus::throttled};
    taken = true;
    co_await world.clock.sleep_until(world.clock.now() + 200ms);
    taken = false;
    ran.push_back(event.request_id);
    world.line.call_next();
    co_return World::answers("1");
  };
  std::vector<std::string> sent;
  for (int n = 10; n < 25; ++n) {
    sent.push_back(std::to_string(n));
    world.send(sent.back(), "{}");
    world.advance(1ms);
  }
  world.advance(15 * 200ms);
  EXPECT_EQ(ran, sent);
}

TEST(EventQueueTest, WhatWasThrottledBeforeACrashStandsInLineAgain) {
  World world;
  int calls = 0;
  world.handler = script({{.status = engine::InvokeStatus::throttled}}, calls);
  world.send("r1", "{}");
  world.send("r2", "{}");
  world.advance(100s);
  world.crash();
  world.settle();
  ASSERT_EQ(world.line.size(), 2U);
  calls = 0;
  world.handler = script({World::answers("1")}, calls);
  world.line.call_next();
  world.settle();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(world.line.size(), 1U);
}

TEST(EventQueueTest, AnEventThatEndsWhileItIsToStandInLineStandsInNone) {
  World world;
  int calls = 0;
  world.handler = script({{.status = engine::InvokeStatus::throttled}, World::answers("1")}, calls);
  world.line_gate.emplace();
  world.send("r1", "{}");
  world.advance(10s);  // at once, and after one second
  EXPECT_EQ(calls, 2);
  world.open_line_gate();
  EXPECT_EQ(world.line.size(), 0U);

  // After a start they come into it one after the other, while those that are due by then are tried.
  calls = 0;
  world.handler = script({{.status = engine::InvokeStatus::throttled}}, calls);
  world.send("r2", "{}");
  world.send("r3", "{}");
  world.settle();
  EXPECT_EQ(calls, 2);
  world.handler = script({World::answers("1")}, calls);
  world.clock.advance_to(world.clock.now() + 1s, {});
  world.line_gate.emplace();
  world.crash();
  world.settle();
  EXPECT_EQ(calls, 4);
  world.open_line_gate();
  EXPECT_EQ(world.line.size(), 0U);
}

TEST(EventQueueTest, TheTurnOfAnEventThatIsNoMoreGoesToTheNext) {
  World world;
  int calls = 0;
  world.handler = script({{.status = engine::InvokeStatus::throttled}}, calls);
  world.send("r1", "{}");
  world.advance(1ms);
  world.send("r2", "{}");
  world.settle();
  ASSERT_EQ(world.line.size(), 2U);
  (void)world.await([](store::Store& in) -> Task<int> {
    co_await in.transact(
        [](store::Transaction& txn) -> Task<void> { co_await store::cancel_delivery(txn, "lambda-event/r1"); });
    co_return 0;
  }(*world.store));
  world.line.call_next();
  world.settle();
  ASSERT_EQ(world.line.size(), 1U);
  calls = 0;
  world.handler = script({World::answers("1")}, calls);
  world.line.call_next();
  world.settle();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(world.line.size(), 0U);
}

TEST(EventQueueTest, ARetryThatWouldComeTooLateIsNotMade) {
  World world;
  world.configure({.age_seconds_max = 100, .on_failure = testing::kQueueArn});
  int calls = 0;
  world.handler = script({World::fails()}, calls);
  world.send("r1", "{}");
  world.advance(1h);
  EXPECT_EQ(calls, 2);
  ASSERT_EQ(world.sent.size(), 1U);
  const json::Value record = World::parse(world.sent[0].body);
  EXPECT_EQ(record.find("requestContext")->find("condition")->string(), "EventAgeExceeded");
  EXPECT_EQ(*record.find("requestContext")->find("approximateInvokeCount")->to_double(), 2);
  EXPECT_EQ(record.find("responseContext")->find("functionError")->string(), "Unhandled");
}

TEST(EventQueueTest, AFunctionThatIsSwitchedOffIsNotTriedAgain) {
  World world;
  world.configure({.on_failure = testing::kQueueArn});
  int calls = 0;
  world.handler = script({{.status = engine::InvokeStatus::throttled, .is_switched_off = true}}, calls);
  world.send("r1", "{}");
  world.advance(24h);
  EXPECT_EQ(calls, 1);
  ASSERT_EQ(world.sent.size(), 1U);
  const json::Value record = World::parse(world.sent[0].body);
  EXPECT_EQ(record.find("requestContext")->find("condition")->string(), "ZeroReservedConcurrency");
  EXPECT_EQ(*record.find("requestContext")->find("approximateInvokeCount")->to_double(), 0);
  EXPECT_FALSE(record.find("responseContext"));
}

TEST(EventQueueTest, AnEventThatFailsGoesToTheFunctionsDeadLetterQueueAsItCame) {
  World world;
  world.create_function(testing::kQueueArn);
  world.configure({.retry_attempts_max = 0, .on_failure = testing::kTopicArn});
  int calls = 0;
  world.handler = script({World::fails()}, calls);
  world.send("r1", R"({"a":1})");
  world.settle();
  ASSERT_EQ(world.sent.size(), 2U);  // there and to the destination
  const Sent& letter = world.sent[world.sent[0].to == "sqs q" ? 0 : 1];
  EXPECT_EQ(letter.body, R"({"a":1})");
  EXPECT_EQ(letter.attributes, (std::map<std::string, std::string>{
                                   {"ErrorCode", "Number 200"}, {"ErrorMessage", "String broken"}, {"RequestID", "String r1"}}));
}

TEST(EventQueueTest, ASuccessLeavesNoDeadLetter) {
  World world;
  world.create_function(testing::kQueueArn);
  world.send("r1", "{}");
  world.advance(1h);
  EXPECT_TRUE(world.sent.empty());
}

TEST(EventQueueTest, ADestinationThatIsNotThereIsCountedAndGivenUp) {
  World world;
  world.create_function(testing::kTopicArn);
  world.configure({.retry_attempts_max = 0, .on_failure = testing::kQueueArn});
  int calls = 0;
  world.handler = script({World::fails()}, calls);
  world.refusal = wire::Error("QueueDoesNotExist", 400, "no such queue");
  world.send("r1", "{}");
  world.advance(1h);
  EXPECT_EQ(world.metric("DestinationDeliveryFailures"), 1);
  EXPECT_EQ(world.metric("DeadLetterErrors"), 1);
}

TEST(EventQueueTest, ADestinationThatIsOutOfOrderGetsTheRecordLater) {
  World world;
  world.configure({.on_success = testing::kQueueArn});
  world.refusal = wire::Error("InternalFailure", 500, "out of order");
  world.send("r1", "{}");
  world.advance(10min);
  EXPECT_TRUE(world.sent.empty());
  world.refusal.reset();
  world.advance(10min);
  EXPECT_EQ(world.sent.size(), 1U);
  EXPECT_EQ(world.metric("DestinationDeliveryFailures"), 0);
}

TEST(EventQueueTest, AnAnswerThatIsNoJsonIsToldAsAString) {
  World world;
  world.configure({.on_success = testing::kQueueArn});
  world.handler = [](FunctionReference, Event) { return Task<EventAttempt>::ready(World::answers("plain \"text\"")); };
  world.send("r1", "{}");
  world.settle();
  ASSERT_EQ(world.sent.size(), 1U);
  EXPECT_EQ(World::parse(world.sent[0].body).find("responsePayload")->string(), "plain \"text\"");
}

TEST(EventQueueTest, LongErrorsAreCutInDeadLetters) {
  World world;
  world.create_function(testing::kQueueArn);
  world.configure({.retry_attempts_max = 0});
  EventAttempt failed = World::fails();
  failed.payload = R"({"errorMessage":"x)";
  for (int i = 0; i < 1000; ++i) failed.payload += "ζ";
  failed.payload += "\"}";
  int calls = 0;
  world.handler = script({failed}, calls);
  world.send("r1", "{}");
  world.settle();
  ASSERT_EQ(world.sent.size(), 1U);
  const std::string message = world.sent[0].attributes.at("ErrorMessage").substr(std::string("String ").size());
  EXPECT_EQ(message.size(), 1023U);  // a whole number of characters
}

}  // namespace
}  // namespace tidemill::lambda
