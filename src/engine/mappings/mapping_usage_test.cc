// What a mapping tells CloudWatch, under AWS's names and by AWS's definitions.
#include "engine/mappings/mapping_usage.h"

#include <gtest/gtest.h>

#include "engine/mappings/mapping_test_world.h"

namespace tidemill::engine {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class MappingUsageTest : public OneShardTest {
 protected:
  static Mapping counting() {
    Mapping mapping = MappingWorld::mapping();
    mapping.account = "000000000000";
    mapping.region = "us-east-1";
    mapping.count_events = true;
    return mapping;
  }
  // Sums by metric, of the mapping's UUID or the function's name.
  std::map<std::string, double> sums(const std::string& resource = "u-1") {
    std::map<std::string, double> sums;
    for (const auto& gathered : world.usage.take()) {
      if (gathered.resource == resource) sums[std::string(gathered.metric->name)] += gathered.values.sum();
    }
    return sums;
  }
};

TEST_F(MappingUsageTest, EventsAreCountedOnTheirWay) {
  Mapping mapping = counting();
  mapping.filters = {R"({"item":["a","b"]})"};
  start(mapping);
  write({"a", "b", "c"});
  EXPECT_EQ(sums(), (std::map<std::string, double>{
                        {"PolledEventCount", 3}, {"FilteredOutEventCount", 1}, {"InvokedEventCount", 2}}));
}

TEST_F(MappingUsageTest, NothingIsCountedUnlessTheMappingAsks) {
  Mapping mapping = counting();
  mapping.count_events = false;
  start(mapping);
  write({"a"});
  EXPECT_TRUE(sums().empty());
}

TEST_F(MappingUsageTest, FailedAndDroppedEventsAreCounted) {
  Mapping mapping = counting();
  mapping.retry_attempts_max = 1;
  world.invoker.handler = [](const Call&) -> Task<InvokeOutcome> { co_return outcome(InvokeStatus::function_error); };
  write({"a", "b"});
  start(mapping);
  world.advance(hours(1));
  const auto counts = sums();
  EXPECT_EQ(counts.at("InvokedEventCount"), 4);
  EXPECT_EQ(counts.at("FailedInvokeEventCount"), 4);
  EXPECT_EQ(counts.at("DroppedEventCount"), 2);
}

TEST_F(MappingUsageTest, WhatIsOnItsWayToADestinationIsNotDropped) {
  Mapping mapping = counting();
  mapping.retry_attempts_max = 0;
  mapping.failure_destination = "arn:aws:sqs:us-east-1:000000000000:q";
  world.invoker.handler = [](const Call&) -> Task<InvokeOutcome> { co_return outcome(InvokeStatus::function_error); };
  write({"a"});
  start(mapping);
  EXPECT_FALSE(sums().contains("DroppedEventCount"));
}

TEST_F(MappingUsageTest, WhatTheStreamItselfForgetsIsNotDropped) {
  world.invoker.handler = [](const Call&) -> Task<InvokeOutcome> { co_return outcome(InvokeStatus::throttled); };
  write({"a"});
  start(counting());
  world.advance(hours(25));
  EXPECT_FALSE(sums().contains("DroppedEventCount"));
}

TEST_F(MappingUsageTest, OnlyTheRestOfAPartialSuccessHasFailed) {
  Mapping mapping = counting();
  mapping.report_item_failures = true;
  mapping.retry_attempts_max = 0;
  world.invoker.handler = [](const Call& call) -> Task<InvokeOutcome> {
    const bool all = call.changes.size() == 3;
    co_return InvokeOutcome{.payload = all ? R"({"batchItemFailures":[{"itemIdentifier":"c/1"}]})" : "{}"};
  };
  write({"a", "b", "c"});
  start(mapping);
  world.advance(seconds(1));
  EXPECT_EQ(sums().at("FailedInvokeEventCount"), 1);
}

TEST_F(MappingUsageTest, TheAgeOfABatchsLastRecordIsMeasuredWheneverTheFunctionHasIt) {
  write({"a"});
  world.advance(seconds(10));
  start(counting());
  EXPECT_EQ(sums("f").at("IteratorAge"), 10'000);
}

}  // namespace
}  // namespace tidemill::engine
