// What mappings make of a store that fails them for a moment, and of one that takes no writes any more.
#include <system_error>

#include "engine/mappings/mapping_test_world.h"
#include "engine/mappings/pinned_batch.h"
#include "store/paused.h"

namespace tidemill::engine {
namespace {

using std::chrono::seconds;

std::system_error no_descriptors() { return {std::make_error_code(std::errc::too_many_files_open)}; }

class MappingTroublesTest : public OneShardTest {
 protected:
  // From the next call on: what is written once the function has answered is its shard's progress.
  template <class Error>
  void fail_checkpoints(int count, Error error) {
    world.invoker.handler = [this, count, error](const Call&) -> Task<InvokeOutcome> {
      world.troubles.commits.next(count, error);
      world.invoker.handler = nullptr;
      co_return InvokeOutcome{};
    };
  }
  void set_state(MappingState state) {
    Mapping mapping = *world.load();
    mapping.state = state;
    start(mapping);
  }
};

TEST_F(MappingTroublesTest, ACheckpointThatCannotBeWrittenForAMomentIsWrittenLater) {
  start();
  fail_checkpoints(3, no_descriptors());
  write({"a"});
  EXPECT_EQ(world.troubles.commits.left(), 0);
  ASSERT_TRUE(world.checkpoint());
  EXPECT_EQ(world.result(), "OK");
  write({"b"});
  EXPECT_EQ(world.delivered(), "a1 | b1");
  set_state(MappingState::disabling);
  EXPECT_EQ(world.load()->state, MappingState::disabled);
}

TEST_F(MappingTroublesTest, AMappingWhoseStoreTookNoCheckpointsDeliversNothingAndCanBeDisabled) {
  start();
  fail_checkpoints(1, store::StoreFailed("a sync failed"));
  write({"a"});
  write({"b"});
  world.advance(seconds(60));
  EXPECT_EQ(world.delivered(), "a1");
  set_state(MappingState::disabling);
  EXPECT_EQ(world.load()->state, MappingState::disabled);
}

// As where the disk was full in the middle of it.
TEST_F(MappingTroublesTest, WhatIsPinnedByACommitThatMayHaveBeenMadeIsThereOnce) {
  Mapping pinning = MappingWorld::mapping();
  pinning.retry_attempts_max = 0;
  pinning.tags = {{kPinTag, "true"}};
  start(pinning);
  for (const bool was_made : {true, false}) {
    world.invoker.handler = [&, was_made](const Call&) -> Task<InvokeOutcome> {
      (was_made ? world.troubles.answers : world.troubles.commits).next(2, store::CommitUnsure("the disk is full"));
      co_return outcome(InvokeStatus::function_error);
    };
    const std::string item = was_made ? "made" : "not";
    write({item, item});
    EXPECT_EQ(world.troubles.answers.left() + world.troubles.commits.left(), 0);
    const auto pinned = world.value(pinned_batch_key("u-1", "s-1", item + "/1", item + "/2"));
    ASSERT_TRUE(pinned);
    EXPECT_EQ(decode_pinned_batch(*pinned).count, 2u);
    EXPECT_EQ(world.checkpoint()->done, world.stream->spans.at(item + "/2").last);
  }
}

// The second of two updates is confirmed with the first, before anybody has looked at it.
TEST_F(MappingTroublesTest, AnUpdateThatIsConfirmedWithTheOneBeforeItHolds) {
  start();
  Mapping mapping = *world.load();
  ASSERT_EQ(mapping.state, MappingState::enabled);
  mapping.state = MappingState::updating;
  mapping.batch_size = 5;
  world.troubles.commits.next(1, no_descriptors(), 1);  // the first is confirmed only after a pause
  world.put_mapping(mapping);
  while (world.troubles.commits.left() > 0 && world.executor.run_one()) {
  }
  ASSERT_EQ(world.troubles.commits.left(), 0);
  ASSERT_EQ(world.load()->state, MappingState::updating);
  mapping.filters = {R"({"parity":["odd"]})"};
  world.transact([&](store::Transaction& txn) { txn.put(mapping_key(mapping.uuid), encode_mapping(mapping)); });
  world.advance(seconds(1));
  ASSERT_EQ(world.load()->state, MappingState::enabled);
  start(*world.load());  // now it is looked at
  write({"a"});
  write({"a"});
  write({"a"});
  EXPECT_EQ(world.delivered(), "a1 | a3");
}

TEST_F(MappingTroublesTest, AMappingRunsThoughTheFirstLookAtItFailed) {
  for (const int well : {0, 1, 2, 3}) {  // whichever of the first looks it is
    SCOPED_TRACE(well);
    MappingWorld other;
    other.put_shard({.shard_id = "s-1"});
    other.settle();
    other.troubles.snapshots.next(2, no_descriptors(), well);
    other.put_mapping(MappingWorld::mapping());
    other.write("s-1", {"a"});
    other.settle();  // the clock stands
    EXPECT_EQ(other.delivered(), "a1");
    EXPECT_EQ(other.troubles.snapshots.left(), 0);
  }
}

}  // namespace
}  // namespace tidemill::engine
