// ParallelizationFactor (facts 1.11): several batches of a shard at a time, in order per key.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/mappings/batch.h"
#include "engine/mappings/mapping_test_world.h"

namespace tidemill::engine {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class MappingLanesTest : public OneShardTest {
 protected:
  static Mapping lanes(int factor, int batch_size = 100) {
    Mapping mapping = MappingWorld::mapping();
    mapping.parallelization_factor = factor;
    mapping.batch_size = batch_size;
    return mapping;
  }
  void change(const std::function<void(Mapping&)>& edit) {
    Mapping mapping = *world.load();
    edit(mapping);
    mapping.state = MappingState::updating;
    world.put_mapping(mapping);
    world.settle();
  }
  // A name that falls to the lane, `nth` of them.
  static std::string item(int lane, int factor, int nth = 0) {
    for (int i = 0;; ++i) {
      std::string name = "i" + std::to_string(i);
      if (lane_of(name, static_cast<uint8_t>(factor)) == lane && nth-- == 0) return name;
    }
  }
  void block(std::string held) {
    world.invoker.handler = [this, held](const Call& call) -> Task<InvokeOutcome> {
      if (call.changes.front().item == held) co_await world.clock.sleep_until(world.clock.now() + seconds(900));
      co_return InvokeOutcome{};
    };
  }
  void fail(std::string bad) {
    world.invoker.handler = [bad](const Call& call) -> Task<InvokeOutcome> {
      const bool fails = std::ranges::any_of(call.changes, [&](const Change& change) { return change.item == bad; });
      co_return fails ? outcome(InvokeStatus::function_error) : InvokeOutcome{};
    };
  }
  std::vector<Change> of_item(const std::string& name) const {
    std::vector<Change> found;
    for (const Call& call : world.invoker.calls) {
      for (const Change& change : call.changes) {
        if (change.item == name) found.push_back(change);
      }
    }
    return found;
  }
};

TEST_F(MappingLanesTest, AsManyBatchesOfAShardAreInFlightAsThereAreLanes) {
  int in_flight = 0;
  int most = 0;
  world.invoker.handler = [&](const Call&) -> Task<InvokeOutcome> {
    most = std::max(most, ++in_flight);
    co_await world.clock.sleep_until(world.clock.now() + seconds(1));
    --in_flight;
    co_return InvokeOutcome{};
  };
  std::vector<std::string> items;
  for (int lane = 0; lane < 10; ++lane) items.push_back(item(lane, 10));
  write(items);
  write(items);
  start(lanes(10, 1));
  world.advance(seconds(10));
  EXPECT_EQ(most, 10);
  EXPECT_EQ(world.invoker.calls.size(), 20u);
}

TEST_F(MappingLanesTest, WithoutRoomForMoreEveryLaneGoesOnWithLeanBatches) {
  constexpr int kLanes = 10;
  constexpr int kRecords = 20;  // of each lane
  constexpr size_t kRecordBytes = 100'000;
  world.batch_bytes_max = 1 << 20;
  world.crash();
  size_t in_flight = 0;
  size_t in_flight_bytes = 0;
  size_t most_bytes = 0;
  size_t most = 0;
  world.invoker.handler = [&](const Call& call) -> Task<InvokeOutcome> {
    most = std::max(most, ++in_flight);
    most_bytes = std::max(most_bytes, in_flight_bytes += call.payload_bytes);
    EXPECT_LE(call.payload_bytes, kLeanBatchBytes);
    const size_t bytes = call.payload_bytes;
    co_await world.clock.sleep_until(world.clock.now() + seconds(1));
    --in_flight;
    in_flight_bytes -= bytes;
    co_return InvokeOutcome{};
  };
  std::vector<std::string> items;
  for (int lane = 0; lane < kLanes; ++lane) items.push_back(item(lane, kLanes));
  for (int i = 0; i < kRecords; ++i) world.write("s-1", items, kRecordBytes);
  start(lanes(kLanes, 10'000));
  world.advance(seconds(60));
  EXPECT_EQ(most, static_cast<size_t>(kLanes));
  EXPECT_LE(most_bytes, kLanes * kLeanBatchBytes);
  for (const std::string& name : items) {
    const std::vector<Change> changes = of_item(name);
    ASSERT_EQ(changes.size(), static_cast<size_t>(kRecords));
    for (int i = 0; i < kRecords; ++i) EXPECT_EQ(changes[static_cast<size_t>(i)].number, static_cast<uint64_t>(i + 1));
  }
  EXPECT_NE(world.metrics.prometheus_text().find("tidemill_mapping_batch_bytes 0"), std::string::npos);
}

TEST_F(MappingLanesTest, ALeanBatchThatFailsIsTriedAgainAsItWas) {
  world.batch_bytes_max = 1 << 20;
  world.crash();
  int calls = 0;
  world.invoker.handler = [&](const Call&) -> Task<InvokeOutcome> {
    co_return calls++ == 0 ? outcome(InvokeStatus::function_error) : InvokeOutcome{};
  };
  for (int i = 0; i < 6; ++i) world.write("s-1", {"a"}, 100'000);
  start(lanes(1, 10'000));
  world.advance(seconds(10));
  EXPECT_EQ(world.delivered(), "a1 a2 | a1 a2 | a3 a4 | a5 a6");
}

TEST_F(MappingLanesTest, ABatchHoldsRecordsOfItsLaneOnly) {
  std::vector<std::string> items;
  for (int i = 0; i < 50; ++i) items.push_back("i" + std::to_string(i));
  write(items);
  start(lanes(4));
  ASSERT_EQ(world.invoker.calls.size(), 4u) << world.delivered();
  for (const Call& call : world.invoker.calls) {
    for (const Change& change : call.changes) {
      EXPECT_EQ(lane_of(change.item, 4), lane_of(call.changes.front().item, 4));
    }
  }
}

TEST_F(MappingLanesTest, ALaneThatIsHeldUpHoldsUpNoOther) {
  const std::string held = item(0, 2);
  const std::string free = item(1, 2);
  block(held);
  start(lanes(2, 1));
  for (int i = 0; i < 20; ++i) write({held, free});
  EXPECT_EQ(of_item(held).size(), 1u);
  EXPECT_EQ(of_item(free).size(), 20u);
}

// The queue of the lane that is held up is full long before.
TEST_F(MappingLanesTest, WhatALaneCouldNotKeepInMemoryItReadsLater) {
  constexpr size_t kPadding = 100'000;
  const std::string held = item(0, 2);
  const std::string free = item(1, 2);
  block(held);
  start(lanes(2, 1));
  for (int i = 0; i < 30; ++i) {
    world.write("s-1", {held, free}, kPadding);
    world.settle();
  }
  EXPECT_EQ(of_item(free).size(), 30u);
  world.advance(seconds(901));
  world.invoker.handler = nullptr;
  world.advance(seconds(901));
  const std::vector<Change> all = of_item(held);
  ASSERT_EQ(all.size(), 30u);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].number, i + 1);
}

TEST_F(MappingLanesTest, AFailingKeyBlocksOnlyItsLane) {
  const std::string bad = item(0, 3);
  const std::string good = item(1, 3);
  fail(bad);
  start(lanes(3));
  write({bad});
  write({good});
  world.advance(seconds(60));
  EXPECT_EQ(of_item(good).size(), 1u);
  EXPECT_GT(of_item(bad).size(), 3u);
}

TEST_F(MappingLanesTest, TheCheckpointNeverPassesAnUnfinishedRecord) {
  const std::string bad = item(0, 3);
  const std::string good = item(1, 3);
  fail(bad);
  start(lanes(3));
  write({good});
  write({bad});
  for (int i = 0; i < 5; ++i) write({good});
  const Checkpoint checkpoint = *world.checkpoint();
  ASSERT_EQ(of_item(good).size(), 6u);
  world.run([&]() -> Task<void> {
    for (const StreamRecord& record : co_await world.stream->read(MappingWorld::mapping(), "s-1", {}, 100, 1'000'000)) {
      EXPECT_EQ(checkpoint.is_finished(record.position, record.ordering_key), record.ordering_key != bad);
    }
  });
}

TEST_F(MappingLanesTest, ARestartRedeliversNothingThatALaneHasFinished) {
  const std::string bad = item(0, 3);
  const std::string good = item(1, 3);
  fail(bad);
  start(lanes(3));
  write({bad});
  for (int i = 0; i < 5; ++i) write({good});
  ASSERT_EQ(of_item(good).size(), 5u);
  world.crash();
  world.settle();
  world.invoker.handler = nullptr;
  world.advance(seconds(1));
  write({good});
  EXPECT_EQ(of_item(good).size(), 6u) << world.delivered();
  EXPECT_EQ(of_item(bad).back().number, 1u);
}

TEST_F(MappingLanesTest, AttemptsOfALaneSurviveACrash) {
  const std::string bad = item(2, 3);
  Mapping mapping = lanes(3);
  mapping.retry_attempts_max = 3;
  fail(bad);
  start(mapping);
  write({bad});
  world.crash();
  world.settle();
  world.crash();
  world.settle();
  world.advance(hours(1));
  EXPECT_EQ(of_item(bad).size(), 4u);
}

TEST_F(MappingLanesTest, AnotherNumberOfLanesKeepsTheOrderAndWhatIsFinished) {
  const std::string bad = item(0, 5);
  fail(bad);
  start(lanes(5));
  std::vector<std::string> items;
  for (int i = 0; i < 20; ++i) items.push_back("i" + std::to_string(i));
  write(items);
  write(items);
  const size_t before = world.invoker.calls.size();
  change([](Mapping& mapping) { mapping.parallelization_factor = 3; });
  change([](Mapping& mapping) { mapping.parallelization_factor = 7; });
  world.crash();
  world.settle();
  world.invoker.handler = nullptr;
  world.advance(seconds(120));
  write(items);
  EXPECT_GT(world.invoker.calls.size(), before);
  for (const std::string& name : items) {
    const std::vector<Change> got = of_item(name);
    if (lane_of(name, 5) != 0) {
      ASSERT_EQ(got.size(), 3u) << name << ": " << world.delivered();
      for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].number, i + 1);
    }
    EXPECT_EQ(got.back().number, 3u);
  }
  EXPECT_TRUE(world.checkpoint()->lanes.empty());
}

TEST_F(MappingLanesTest, AnInvocationUnderWayEndsBeforeOtherLanesBegin) {
  const std::string slow = item(0, 2);
  block(slow);
  start(lanes(2));
  write({slow});
  change([](Mapping& mapping) { mapping.parallelization_factor = 1; });
  write({slow});
  EXPECT_EQ(of_item(slow).size(), 1u);
  world.advance(seconds(900));
  EXPECT_EQ(of_item(slow).size(), 2u);
}

TEST_F(MappingLanesTest, AClosedShardIsFinishedOnceAllLanesAre) {
  const std::string slow = item(0, 2);
  world.put_shard({.shard_id = "s-2", .parents = {"s-1"}});
  block(slow);
  start(lanes(2));
  write({slow, item(1, 2)});
  world.put_shard({.shard_id = "s-1", .closed = true});
  world.write("s-2", {"child"});
  world.settle();
  EXPECT_TRUE(of_item("child").empty());
  world.advance(seconds(900));
  EXPECT_EQ(of_item("child").size(), 1u);
}

}  // namespace
}  // namespace tidemill::engine
