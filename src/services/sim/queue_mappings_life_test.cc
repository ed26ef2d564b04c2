// How a mapping of a queue runs: how much of it at a time, through changes of its record, of its queue, and crashes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/sim/queue_mappings_testing.h"

namespace tidemill::sim {
namespace {

using engine::InvokeOutcome;
using engine::InvokeStatus;
using engine::MappingState;
using namespace std::chrono_literals;

// ---- how much at a time -----------------------------------------------------------------------------------------

TEST_F(QueueMappings, FiveBatchesRunAtFirstAndMoreWhileThereIsMore) {
  for (int i = 0; i < 30; ++i) send("m");
  block();
  start("q", [](engine::Mapping& mapping) { mapping.batch_size = 1; });
  EXPECT_EQ(blocked.size(), 5u);
  platform.advance(200ms);
  EXPECT_EQ(blocked.size(), 6u);
  platform.advance(2s);
  EXPECT_EQ(blocked.size(), 16u);
}

TEST_F(QueueMappings, WhatAQuickFunctionCannotKeepUpWithGetsMorePlaces) {
  size_t running = 0;
  size_t running_max = 0;
  platform.functions.handler = [&](const QueueCall&) -> Task<InvokeOutcome> {
    running_max = std::max(running_max, ++running);
    co_await platform.clock.sleep_until(platform.clock.now() + 50ms);
    --running;
    co_return InvokeOutcome{};
  };
  for (int i = 0; i < 600; ++i) platform.start("SendMessage", QueuePlatform::of_queue("q", R"("MessageBody":"m")"));
  platform.settle();
  start("q", [](engine::Mapping& mapping) { mapping.batch_size = 1; });
  platform.advance(2s);
  EXPECT_GE(running_max, 12u);
  EXPECT_LE(running_max, 15u);
  platform.advance(10s);
  EXPECT_EQ(platform.counts("q"), "0 0 0");
  // Nothing is left of it when the next messages come.
  running_max = 0;
  for (int i = 0; i < 20; ++i) platform.start("SendMessage", QueuePlatform::of_queue("q", R"("MessageBody":"m")"));
  platform.settle();
  EXPECT_EQ(running_max, 5u);
  platform.advance(1s);
}

TEST_F(QueueMappings, MaximumConcurrencyBoundsTheBatches) {
  for (int i = 0; i < 30; ++i) send("m");
  block();
  start("q", [](engine::Mapping& mapping) {
    mapping.batch_size = 1;
    mapping.concurrency_max = 2;
  });
  platform.advance(20s);
  EXPECT_EQ(blocked.size(), 2u);
  release();
  EXPECT_EQ(blocked.size(), 2u);
  EXPECT_EQ(platform.counts("q"), "26 2 0");
}

TEST_F(QueueMappings, ProvisionedPollersBeginWithMore) {
  for (int i = 0; i < 50; ++i) send("m");
  block();
  start("q", [](engine::Mapping& mapping) {
    mapping.batch_size = 1;
    mapping.pollers_min = 2;
    mapping.pollers_max = 3;
  });
  EXPECT_EQ(blocked.size(), 20u);
  platform.advance(10s);
  EXPECT_EQ(blocked.size(), 30u);
}

// ---- changes of the mapping -------------------------------------------------------------------------------------

TEST_F(QueueMappings, DisablingWaitsForWhatRuns) {
  block();
  start("q");
  send("a");
  platform.settle();
  platform.change_mapping(MappingState::disabling);
  EXPECT_EQ(platform.mapping_state(), MappingState::disabling);
  send("b");
  release();
  EXPECT_EQ(platform.mapping_state(), MappingState::disabled);
  EXPECT_EQ(platform.delivered(), "a");
  EXPECT_EQ(platform.counts("q"), "1 0 0");
  platform.change_mapping(MappingState::enabling);
  EXPECT_EQ(platform.mapping_state(), MappingState::enabled);
  EXPECT_EQ(platform.delivered(), "a | b");
}

TEST_F(QueueMappings, DeletingWaitsForWhatRuns) {
  block();
  start("q");
  send("a");
  platform.settle();
  platform.change_mapping(MappingState::deleting);
  EXPECT_EQ(platform.mapping_state(), MappingState::deleting);
  release();
  EXPECT_EQ(platform.mapping_state(), std::nullopt);
  EXPECT_EQ(platform.counts("q"), "0 0 0");
  send("b");
  platform.advance(1h);
  EXPECT_EQ(platform.delivered(), "a");
}

TEST_F(QueueMappings, WhatIsGatheredWhenAMappingIsDisabledIsGivenBack) {
  start("q", [](engine::Mapping& mapping) { mapping.batching_window_seconds = 300; });
  send("a");
  platform.settle();
  EXPECT_EQ(platform.counts("q"), "0 1 0");
  platform.change_mapping(MappingState::disabling);
  EXPECT_EQ(platform.mapping_state(), MappingState::disabled);
  EXPECT_EQ(platform.counts("q"), "1 0 0");
}

TEST_F(QueueMappings, WhatIsThrottledWhenAMappingIsDisabledIsGivenBack) {
  fail(InvokeStatus::throttled);
  start("q");
  send("a");
  platform.settle();
  platform.change_mapping(MappingState::disabling);
  EXPECT_EQ(platform.mapping_state(), MappingState::disabled);
  EXPECT_EQ(platform.counts("q"), "1 0 0");
}

TEST_F(QueueMappings, AnUpdateHoldsFromTheNextBatch) {
  start("q");
  platform.change_mapping(MappingState::updating, [](engine::Mapping& mapping) {
    mapping.batch_size = 1;
    mapping.function_arn = "arn:aws:lambda:us-east-1:000000000000:function:g";
  });
  EXPECT_EQ(platform.mapping_state(), MappingState::enabled);
  platform.run("SendMessageBatch",
               QueuePlatform::of_queue(
                   "q", R"("Entries":[{"Id":"1","MessageBody":"a"},{"Id":"2","MessageBody":"b"}])"));
  platform.settle();
  EXPECT_EQ(platform.delivered(), "a | b");
  EXPECT_THAT(platform.functions.calls[0].function_arn, ::testing::EndsWith(":g"));
}

TEST_F(QueueMappings, AQueueThatIsMadeAgainIsReadAgain) {
  start("q");
  platform.run("DeleteQueue", QueuePlatform::of_queue("q"));
  platform.settle();
  EXPECT_EQ(platform.mapping_state(), MappingState::enabled);
  platform.create_queue("q");
  send("a");
  platform.settle();
  EXPECT_EQ(platform.delivered(), "a");
}

TEST_F(QueueMappings, TwoMappingsOfOneQueueShareItsMessages) {
  start("q", [](engine::Mapping& mapping) { mapping.batch_size = 1; });
  engine::Mapping other = QueuePlatform::mapping("q", "u-2");
  other.batch_size = 1;
  platform.put_mapping(other);
  for (int i = 0; i < 20; ++i) send(std::to_string(i));
  platform.settle();
  EXPECT_EQ(platform.functions.calls.size(), 20u);
  EXPECT_EQ(platform.counts("q"), "0 0 0");
}

// ---- crashes ----------------------------------------------------------------------------------------------------

TEST_F(QueueMappings, WhatRanWhenTheProcessWasKilledComesBack) {
  block();
  start("q");
  send("a");
  platform.settle();
  platform.crash();
  platform.functions.handler = {};
  platform.advance(30s);
  EXPECT_EQ(platform.delivered(), "a | a");
  platform.crash();
  platform.advance(1h);
  EXPECT_EQ(platform.delivered(), "a | a");
}

TEST_F(QueueMappings, AMappingThatWasBeingDeletedIsGoneAfterACrash) {
  block();
  start("q");
  send("a");
  platform.settle();
  platform.change_mapping(MappingState::deleting);
  platform.crash();
  platform.settle();
  EXPECT_EQ(platform.mapping_state(), std::nullopt);
}

}  // namespace
}  // namespace tidemill::sim
