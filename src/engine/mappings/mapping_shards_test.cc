// Which shards of a stream a mapping reads, and from where: children, shards that come later, streams that go and come back.
#include <gtest/gtest.h>

#include "engine/mappings/mapping_test_world.h"

namespace tidemill::engine {
namespace {

class MappingShardsTest : public OneShardTest {
 protected:
  // Its mapping has read "a" and the end of the shard "s-1" of the incarnation "one", and is disabled.
  Mapping read_and_disable() {
    world.put_mapping(MappingWorld::mapping());
    world.write("s-1", {"a"});
    world.settle();
    world.put_shard({.shard_id = "s-1", .closed = true, .incarnation = "one"});
    world.settle();
    EXPECT_TRUE(world.checkpoint()->shard_finished);
    Mapping mapping = *world.load();
    mapping.state = MappingState::disabling;
    world.put_mapping(mapping);
    world.settle();
    return mapping;
  }
};

TEST_F(MappingShardsTest, AChildShardWaitsForItsParent) {
  world.put_shard({.shard_id = "s-0-child", .parents = {"s-1"}});
  start();
  world.write("s-0-child", {"a"});
  world.settle();
  EXPECT_EQ(world.delivered(), "");
  write({"b"});
  world.put_shard({.shard_id = "s-1", .closed = true});
  world.settle();
  EXPECT_EQ(world.delivered(), "b1 | a1");
  EXPECT_TRUE(world.checkpoint("s-1")->shard_finished);
}

TEST_F(MappingShardsTest, AShardThatAppearsLaterIsReadFromItsBeginning) {
  start();
  world.transact([&](store::Transaction& txn) {
    ModelStream::put_shard(txn, MappingWorld::kArn, {.shard_id = "s-2"});
    ModelStream::append(txn, MappingWorld::kArn, "s-2", {"a", 1}, world.clock.now());
  });
  world.settle();
  EXPECT_EQ(world.delivered(), "a1");
}

TEST_F(MappingShardsTest, AMappingOutlivesItsStreamAndSaysSo) {
  start();
  write({"a"});
  world.transact([&](store::Transaction& txn) {
    txn.erase_range(store::Range::prefix(ModelStream::shard_prefix(MappingWorld::kArn)));
    txn.erase_log(ModelStream::log(MappingWorld::kArn, "s-1"));
    txn.signal(std::string("shards/") + MappingWorld::kArn);
  });
  world.settle();
  EXPECT_EQ(world.load()->state, MappingState::enabled);
  EXPECT_EQ(world.result(), "PROBLEM: Event source not found");
}

TEST_F(MappingShardsTest, AStreamMadeAgainWhileTheFunctionRunsIsReadOn) {
  for (const int lanes : {1, 2}) {
    MappingWorld fresh;
    fresh.put_shard({.shard_id = "s-1", .incarnation = "one"});
    base::Future<bool> done;
    fresh.invoker.handler = [&](const Call&) -> Task<InvokeOutcome> {
      (void)co_await done;
      co_return InvokeOutcome{};
    };
    Mapping mapping = MappingWorld::mapping();
    mapping.parallelization_factor = lanes;
    fresh.put_mapping(mapping);
    fresh.write("s-1", {"a"});
    fresh.settle();
    ASSERT_EQ(fresh.delivered(), "a1");
    fresh.delete_shard("s-1");
    fresh.settle();
    fresh.put_shard({.shard_id = "s-1", .incarnation = "two"});
    fresh.settle();
    fresh.invoker.handler = {};
    done.set(true);
    fresh.settle();
    for (const char* item : {"b", "c", "d"}) {
      fresh.write("s-1", {item});
      fresh.settle();
    }
    EXPECT_EQ(fresh.delivered(), "a1 | b1 | c1 | d1") << lanes;
    EXPECT_FALSE(fresh.checkpoint()->shard_finished);
  }
}

TEST_F(MappingShardsTest, AStreamMadeAgainWhileItsMappingIsDisabledIsReadOn) {
  Mapping mapping = read_and_disable();
  world.put_shard({.shard_id = "s-1", .incarnation = "two"});
  world.write("s-1", {"b"});
  mapping.state = MappingState::enabling;
  world.put_mapping(mapping);
  world.settle();
  EXPECT_EQ(world.delivered(), "a1 | b1");
}

TEST_F(MappingShardsTest, AStreamMadeAgainAndClosedWhileItsMappingIsDisabledIsReadOn) {
  Mapping mapping = read_and_disable();
  world.put_shard({.shard_id = "s-1", .incarnation = "two"});
  world.write("s-1", {"b"});
  world.put_shard({.shard_id = "s-1", .closed = true, .incarnation = "two"});
  world.put_shard({.shard_id = "s-2", .parents = {"s-1"}, .incarnation = "two"});
  world.write("s-2", {"c"});
  mapping.state = MappingState::enabling;
  world.put_mapping(mapping);
  world.settle();
  EXPECT_EQ(world.delivered(), "a1 | b1 | c1");
  // Once it is finished, nothing of it comes again.
  world.crash();
  world.settle();
  EXPECT_EQ(world.delivered(), "a1 | b1 | c1");
  EXPECT_EQ(world.checkpoint()->incarnation, "two");
}

}  // namespace
}  // namespace tidemill::engine
