// What a mapping does with a stream, option by option: the rules are facts 1.4, 1.5 and 1.7.
#include "engine/mappings/mappings.h"

#include <gtest/gtest.h>

#include "engine/mappings/batch.h"
#include "engine/mappings/mapping_test_world.h"

namespace tidemill::engine {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

class MappingsTest : public OneShardTest {
 protected:
  void change(std::function<void(Mapping&)> edit) {
    Mapping mapping = *world.load();
    edit(mapping);
    world.put_mapping(mapping);
    world.settle();
  }
  void fail_with(InvokeStatus status, int times = 1'000'000) {
    auto left = std::make_shared<int>(times);
    world.invoker.handler = [left, status](const Call&) -> Task<InvokeOutcome> {
      co_return (*left)-- > 0 ? outcome(status) : InvokeOutcome{};
    };
  }
  size_t calls() const { return world.invoker.calls.size(); }
};

TEST_F(MappingsTest, ACommittedChangeReachesTheFunctionWithoutTimePassing) {
  start();
  write({"a"});
  EXPECT_EQ(world.delivered(), "a1");
  EXPECT_EQ(world.load()->state, MappingState::enabled);
  EXPECT_EQ(world.result(), kProcessedOk);
}

TEST_F(MappingsTest, SaysThatNothingWasProcessedUntilSomethingWas) {
  start();
  EXPECT_EQ(world.result(), "No records processed");
}

TEST_F(MappingsTest, ABatchHoldsAtMostBatchSizeRecordsInOrder) {
  write({"a", "b", "a", "c", "a"});
  Mapping mapping = MappingWorld::mapping();
  mapping.batch_size = 2;
  start(mapping);
  EXPECT_EQ(world.delivered(), "a1 b1 | a2 c1 | a3");
}

TEST_F(MappingsTest, ABatchOfOneDeliversEachRecordAlone) {
  Mapping mapping = MappingWorld::mapping();
  mapping.batch_size = 1;
  start(mapping);
  write({"a", "b", "c"});
  EXPECT_EQ(world.delivered(), "a1 | b1 | c1");
}

TEST_F(MappingsTest, ThePayloadStaysWithinSixMegabytes) {
  Mapping mapping = MappingWorld::mapping();
  mapping.batch_size = 10'000;
  mapping.batching_window_seconds = 1;
  start(mapping);
  for (int i = 0; i < 16; ++i) world.write("s-1", {"a"}, 1'000'000);
  world.advance(seconds(1));
  size_t records = 0;
  for (const Call& call : world.invoker.calls) {
    EXPECT_LE(call.payload_bytes, kPayloadBytesMax);
    records += call.changes.size();
  }
  EXPECT_EQ(records, 16u);
  EXPECT_EQ(world.invoker.calls.front().changes.size(), 6u);
}

TEST_F(MappingsTest, AWindowGathersUntilItEnds) {
  Mapping mapping = MappingWorld::mapping();
  mapping.batching_window_seconds = 5;
  start(mapping);
  write({"a"});
  world.advance(seconds(3));
  write({"b"});
  world.advance(milliseconds(1999));
  EXPECT_EQ(world.delivered(), "");
  world.advance(milliseconds(1));
  EXPECT_EQ(world.delivered(), "a1 b1");
  // Nothing came: no empty invocation.
  world.advance(seconds(60));
  EXPECT_EQ(calls(), 1u);
}

TEST_F(MappingsTest, AFullBatchDoesNotWaitForItsWindow) {
  Mapping mapping = MappingWorld::mapping();
  mapping.batching_window_seconds = 300;
  mapping.batch_size = 2;
  start(mapping);
  write({"a", "b", "c"});
  EXPECT_EQ(world.delivered(), "a1 b1");
  world.advance(seconds(300));
  EXPECT_EQ(world.delivered(), "a1 b1 | c1");
}

TEST_F(MappingsTest, TheNextWindowBeginsWhenTheInvocationEnds) {
  Mapping mapping = MappingWorld::mapping();
  mapping.batching_window_seconds = 10;
  start(mapping);
  world.invoker.handler = [this](const Call&) -> Task<InvokeOutcome> {
    co_await world.clock.sleep_until(world.clock.now() + seconds(4));
    co_return InvokeOutcome{};
  };
  write({"a"});
  world.advance(seconds(11));  // delivered after 10
  write({"b"});                // while the function runs, until 14
  world.advance(milliseconds(12'999));
  EXPECT_EQ(world.delivered(), "a1");
  world.advance(milliseconds(1));
  EXPECT_EQ(world.delivered(), "a1 | b1");
}

TEST_F(MappingsTest, ARestartDoesNotBeginAWindowAnew) {
  Mapping mapping = MappingWorld::mapping();
  mapping.batching_window_seconds = 300;
  start(mapping);
  write({"a"});
  world.advance(seconds(200));
  world.crash();
  world.advance(seconds(100));
  EXPECT_EQ(world.delivered(), "a1");
}

TEST_F(MappingsTest, TheNextBatchIsReadWhileTheFunctionRuns) {
  Mapping mapping = MappingWorld::mapping();
  mapping.batch_size = 1;
  write({"a", "b"});
  int reads_before_the_end = 0;
  world.invoker.handler = [&](const Call& call) -> Task<InvokeOutcome> {
    if (call.changes.front().item == "a") {
      for (int i = 0; i < 100; ++i) co_await base::yield();
      reads_before_the_end = world.stream->reads;
    }
    co_return InvokeOutcome{};
  };
  start(mapping);
  EXPECT_EQ(reads_before_the_end, 2);
  EXPECT_EQ(world.delivered(), "a1 | b1");
}

TEST_F(MappingsTest, AFailedBatchIsTriedAgainAsItWasAndBlocksItsShard) {
  start();
  fail_with(InvokeStatus::function_error, 2);
  write({"a"});
  write({"b"});
  EXPECT_EQ(world.delivered(), "a1");
  EXPECT_EQ(world.result(), "PROBLEM: Function call failed");
  world.advance(milliseconds(499));
  EXPECT_EQ(calls(), 1u);
  world.advance(milliseconds(1));
  EXPECT_EQ(calls(), 2u);
  world.advance(seconds(1));
  EXPECT_EQ(world.delivered(), "a1 | a1 | a1 | b1");
  EXPECT_EQ(world.result(), "OK");
}

TEST_F(MappingsTest, AFailingShardDoesNotHoldUpAnother) {
  world.put_shard({.shard_id = "s-2"});
  start();
  world.invoker.handler = [](const Call& call) -> Task<InvokeOutcome> {
    co_return call.changes.front().item == "bad" ? outcome(InvokeStatus::function_error) : InvokeOutcome{};
  };
  world.write("s-1", {"bad"});
  world.settle();
  world.write("s-2", {"good"});
  world.settle();
  EXPECT_EQ(world.delivered(), "bad1 | good1");
}

TEST_F(MappingsTest, NRetriesAreNPlusOneInvocationsAndThenTheBatchIsDiscarded) {
  for (const int retries : {0, 1, 3}) {
    Mapping mapping = MappingWorld::mapping("u-" + std::to_string(retries));
    mapping.retry_attempts_max = retries;
    mapping.starting_position = StartingPosition::trim_horizon;
    MappingWorld fresh;
    fresh.put_shard({.shard_id = "s-1"});
    fresh.invoker.handler = [](const Call& call) -> Task<InvokeOutcome> {
      co_return call.changes.front().item == "bad" ? outcome(InvokeStatus::function_error) : InvokeOutcome{};
    };
    fresh.put_mapping(mapping);
    fresh.write("s-1", {"bad"});
    fresh.settle();
    fresh.write("s-1", {"good"});
    fresh.advance(hours(1));
    EXPECT_EQ(fresh.invoker.calls.size(), static_cast<size_t>(retries) + 2) << fresh.delivered();
    EXPECT_EQ(fresh.invoker.calls.back().changes.front().item, "good");
  }
}

TEST_F(MappingsTest, ACrashDoesNotStartTheAttemptsAnew) {
  Mapping mapping = MappingWorld::mapping();
  mapping.retry_attempts_max = 3;
  start(mapping);
  fail_with(InvokeStatus::function_error);
  write({"a"});
  write({"b"});
  EXPECT_EQ(world.checkpoint()->lanes.at(0).pieces.at(0).attempts, 1u);
  world.crash();
  world.settle();
  world.crash();
  world.settle();
  world.advance(milliseconds(1));
  EXPECT_EQ(calls(), 3u);
  world.advance(hours(1));
  // The batch is still the one of "a" alone, although "b" was there when it was formed again.
  EXPECT_EQ(world.delivered(), "a1 | a1 | a1 | a1 | b1 | b1 | b1 | b1");
}

TEST_F(MappingsTest, WhatDidNotRunDoesNotUseUpAttempts) {
  for (const InvokeStatus status : {InvokeStatus::throttled, InvokeStatus::no_function, InvokeStatus::failed}) {
    MappingWorld fresh;
    fresh.put_shard({.shard_id = "s-1"});
    Mapping mapping = MappingWorld::mapping();
    mapping.retry_attempts_max = 0;
    int left = 5;
    fresh.invoker.handler = [&](const Call&) -> Task<InvokeOutcome> {
      co_return left-- > 0 ? outcome(status) : InvokeOutcome{};
    };
    fresh.put_mapping(mapping);
    fresh.write("s-1", {"a"});
    fresh.settle();
    EXPECT_EQ(fresh.result(), "PROBLEM: Function call failed");
    fresh.advance(seconds(60));
    EXPECT_EQ(fresh.delivered(), "a1 | a1 | a1 | a1 | a1 | a1");
    EXPECT_EQ(fresh.result(), "OK");
  }
}

TEST_F(MappingsTest, OnlyTheExpiredPartOfABatchIsDiscarded) {
  write({"a"});
  world.advance(seconds(30));
  write({"b"});
  world.advance(seconds(30));
  Mapping mapping = MappingWorld::mapping();
  mapping.record_age_seconds_max = 60;
  start(mapping);
  EXPECT_EQ(world.delivered(), "b1");
}

TEST_F(MappingsTest, AThrottledBatchIsTriedAsSoonAsThereIsAPlace) {
  bool has_place = false;
  world.invoker.handler = [&](const Call&) -> Task<InvokeOutcome> {
    co_return has_place ? InvokeOutcome{} : outcome(InvokeStatus::throttled);
  };
  write({"a"});
  start(MappingWorld::mapping());
  world.advance(seconds(300));
  const size_t throttled = world.invoker.calls.size();
  has_place = true;
  ASSERT_EQ(world.invoker.line.size(), 1u);
  world.invoker.line.call_next();
  world.settle();
  EXPECT_EQ(world.invoker.calls.size(), throttled + 1);
  EXPECT_EQ(world.invoker.line.size(), 0u);
  write({"b"});
  world.settle();
  EXPECT_EQ(world.invoker.calls.size(), throttled + 2);
}

// Or each place that becomes free would wait for it in vain.
TEST_F(MappingsTest, AThrottledBatchThatExpiresLeavesTheLine) {
  fail_with(InvokeStatus::throttled, 1'000'000);
  write({"a"});
  Mapping mapping = MappingWorld::mapping();
  mapping.record_age_seconds_max = 60;
  start(mapping);
  ASSERT_EQ(world.invoker.line.size(), 1u);
  world.advance(seconds(61));
  EXPECT_EQ(world.invoker.line.size(), 0u);
}

TEST_F(MappingsTest, RecordsThatExpireDuringRetriesLeaveTheYoungerOnesTheirAttempts) {
  write({"a"});
  world.advance(seconds(58));
  write({"b"});
  Mapping mapping = MappingWorld::mapping();
  mapping.record_age_seconds_max = 60;
  mapping.retry_attempts_max = 3;
  fail_with(InvokeStatus::function_error);
  start(mapping);
  world.advance(hours(1));
  EXPECT_EQ(world.delivered(), "a1 b1 | a1 b1 | a1 b1 | b1");
}

TEST_F(MappingsTest, AnAgeLimitEndsRetriesOnTheSecond) {
  Mapping mapping = MappingWorld::mapping();
  mapping.record_age_seconds_max = 60;
  start(mapping);
  fail_with(InvokeStatus::function_error);
  write({"a"});
  world.advance(seconds(59));
  EXPECT_EQ(calls(), 7u);  // after 0, 0.5, 1.5, 3.5, 7.5, 15.5 and 31.5 seconds
  world.invoker.handler = nullptr;
  write({"b"});
  EXPECT_EQ(calls(), 7u);
  world.advance(seconds(1));
  EXPECT_EQ(world.invoker.calls.back().changes.front().item, "b");
  EXPECT_EQ(calls(), 8u);
}

TEST_F(MappingsTest, RecordsExpireWithTheStreamsRetentionWhenNoLimitIsSet) {
  start();
  fail_with(InvokeStatus::function_error);
  write({"a"});
  world.advance(hours(24));
  world.invoker.handler = nullptr;
  world.invoker.calls.clear();
  write({"b"});
  EXPECT_EQ(world.delivered(), "b1");
}

TEST_F(MappingsTest, ExpiredRecordsMoveTheCheckpoint) {
  write({"a", "b", "c"});
  world.advance(seconds(60));
  Mapping mapping = MappingWorld::mapping();
  mapping.record_age_seconds_max = 60;
  mapping.batch_size = 2;
  start(mapping);
  EXPECT_EQ(calls(), 0u);
  ASSERT_TRUE(world.checkpoint());
  EXPECT_NE(world.checkpoint()->done, store::Position::before_all());
}

TEST_F(MappingsTest, ADisabledMappingKeepsItsPlaceAndResumesThere) {
  start();
  write({"a"});
  change([](Mapping& mapping) { mapping.state = MappingState::disabling; });
  EXPECT_EQ(world.load()->state, MappingState::disabled);
  write({"b"});
  world.crash();
  world.settle();
  EXPECT_EQ(world.delivered(), "a1");
  EXPECT_EQ(world.result(), "OK");
  change([](Mapping& mapping) { mapping.state = MappingState::enabling; });
  EXPECT_EQ(world.load()->state, MappingState::enabled);
  EXPECT_EQ(world.delivered(), "a1 | b1");
}

TEST_F(MappingsTest, DisablingWaitsForTheInvocationAndKeepsItsOutcome) {
  start();
  world.invoker.handler = [this](const Call&) -> Task<InvokeOutcome> {
    co_await world.clock.sleep_until(world.clock.now() + seconds(10));
    co_return InvokeOutcome{};
  };
  write({"a"});
  change([](Mapping& mapping) { mapping.state = MappingState::disabling; });
  EXPECT_EQ(world.load()->state, MappingState::disabling);
  world.advance(seconds(10));
  EXPECT_EQ(world.load()->state, MappingState::disabled);
  change([](Mapping& mapping) { mapping.state = MappingState::enabling; });
  world.advance(seconds(20));
  EXPECT_EQ(world.delivered(), "a1");
}

TEST_F(MappingsTest, DisablingEndsABackOffAtOnce) {
  start();
  fail_with(InvokeStatus::function_error);
  write({"a"});
  world.advance(seconds(40));
  change([](Mapping& mapping) { mapping.state = MappingState::disabling; });
  EXPECT_EQ(world.load()->state, MappingState::disabled);
}

TEST_F(MappingsTest, AnUpdateAppliesToTheNextBatch) {
  start();
  change([](Mapping& mapping) {
    mapping.state = MappingState::updating;
    mapping.batch_size = 1;
    mapping.function_arn = "arn:aws:lambda:us-east-1:000000000000:function:g";
  });
  EXPECT_EQ(world.load()->state, MappingState::enabled);
  write({"a", "b"});
  EXPECT_EQ(world.delivered(), "a1 | b1");
  EXPECT_EQ(world.invoker.calls.front().function_arn, "arn:aws:lambda:us-east-1:000000000000:function:g");
}

TEST_F(MappingsTest, ASmallerBatchSizeCutsABatchThatFails) {
  Mapping mapping = MappingWorld::mapping();
  mapping.retry_attempts_max = 2;
  start(mapping);
  world.invoker.handler = [](const Call& call) -> Task<InvokeOutcome> {
    const bool bad = call.changes.size() > 1 || call.changes.front().item == "b";
    co_return bad ? outcome(InvokeStatus::function_error) : InvokeOutcome{};
  };
  write({"a", "b", "c"});
  change([](Mapping& changed) {
    changed.state = MappingState::updating;
    changed.batch_size = 1;
  });
  world.advance(seconds(60));
  EXPECT_EQ(world.delivered(), "a1 b1 c1 | a1 | b1 | b1 | b1 | c1");
}

TEST_F(MappingsTest, DeletingErasesTheMappingAndAllItsCheckpoints) {
  start();
  write({"a"});
  change([](Mapping& mapping) { mapping.state = MappingState::deleting; });
  EXPECT_FALSE(world.load());
  for (const auto& [key, value] : world.disk.data) {
    EXPECT_NE(key.front(), static_cast<char>(store::KeySpace::mapping)) << "left behind";
  }
  write({"b"});
  EXPECT_EQ(world.delivered(), "a1");
}

TEST_F(MappingsTest, DeletingDoesNotWaitForAnInvocation) {
  start();
  world.invoker.handler = [this](const Call&) -> Task<InvokeOutcome> {
    co_await world.clock.sleep_until(world.clock.now() + seconds(900));
    co_return InvokeOutcome{};
  };
  write({"a"});
  change([](Mapping& mapping) { mapping.state = MappingState::deleting; });
  EXPECT_FALSE(world.load());
}

TEST_F(MappingsTest, ALastingCheckpointIsNeverDeliveredAgain) {
  start();
  write({"a"});
  world.crash();
  write({"b"});
  EXPECT_EQ(world.delivered(), "a1 | b1");
}

TEST_F(MappingsTest, ThePlatformIsQuietWhileAMappingWaits) {
  Mapping mapping = MappingWorld::mapping();
  mapping.batching_window_seconds = 300;
  start(mapping);
  EXPECT_TRUE(world.clock.activity().is_quiet());
  write({"a"});
  EXPECT_TRUE(world.clock.activity().is_quiet());
  fail_with(InvokeStatus::function_error);
  world.advance(seconds(300));
  EXPECT_TRUE(world.clock.activity().is_quiet());
}

TEST_F(MappingsTest, CountsWhatItDoes) {
  Mapping mapping = MappingWorld::mapping();
  mapping.retry_attempts_max = 0;
  start(mapping);
  write({"a", "b"});
  fail_with(InvokeStatus::function_error, 1);
  write({"c"});
  const std::string text = world.metrics.prometheus_text();
  EXPECT_NE(text.find(R"(tidemill_mapping_batches_total{mapping="u-1"} 2)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(tidemill_mapping_records_total{mapping="u-1"} 2)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(tidemill_mapping_errors_total{mapping="u-1"} 1)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(tidemill_mapping_discarded_records_total{mapping="u-1"} 1)"), std::string::npos) << text;
}

TEST_F(MappingsTest, SeveralMappingsOfOneStreamGoTheirOwnWays) {
  start(MappingWorld::mapping("u-1"));
  Mapping other = MappingWorld::mapping("u-2");
  other.function_arn = "g";
  start(other);
  world.invoker.handler = [](const Call& call) -> Task<InvokeOutcome> {
    co_return call.function_arn == "g" ? outcome(InvokeStatus::function_error) : InvokeOutcome{};
  };
  write({"a"});
  write({"b"});
  EXPECT_EQ(calls(), 3u);
  EXPECT_EQ(world.result("u-1"), "OK");
  EXPECT_EQ(world.result("u-2"), "PROBLEM: Function call failed");
}

}  // namespace
}  // namespace tidemill::engine
