#include "services/lambda/function_cache.h"

#include "services/lambda/event_world.h"

namespace tidemill::lambda {
namespace {

using testing::World;

FunctionPtr find(World& world, FunctionCache& cache, std::string qualifier = {}) {
  return world.await(cache.find(World::function(std::move(qualifier))));
}

// Nobody tells the cache of changes: it does not matter which process has made them.
TEST(FunctionCacheTest, WhatIsKeptHoldsAsLongAsTheStoreSaysTheSame) {
  World world;
  FunctionCache cache(*world.store, "/packages");
  EXPECT_EQ(find(world, cache), nullptr);
  world.create_function("arn:aws:sqs:us-east-1:000000000000:a");
  const FunctionPtr first = find(world, cache);
  ASSERT_TRUE(first);
  EXPECT_EQ(find(world, cache), first);
  world.create_function("arn:aws:sqs:us-east-1:000000000000:b");
  const FunctionPtr second = find(world, cache);
  EXPECT_EQ(second->dead_letter_target, "arn:aws:sqs:us-east-1:000000000000:b");
  EXPECT_NE(second->spec->revision, first->spec->revision);
  EXPECT_GT(second->spec->edition, first->spec->edition);
  EXPECT_EQ(find(world, cache, "7"), nullptr);
  EXPECT_EQ(find(world, cache, "alias"), nullptr);
}

}  // namespace
}  // namespace tidemill::lambda
