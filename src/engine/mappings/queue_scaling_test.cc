#include "engine/mappings/queue_scaling.h"

#include <gtest/gtest.h>

namespace tidemill::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr base::Time kStart{std::chrono::hours(1)};

TEST(QueueScaling, BeginsWithFiveAndGrowsByThreeHundredAMinuteWhileSaturated) {
  QueueScaling scaling;
  scaling.follow({});
  EXPECT_EQ(scaling.allowed(), 5u);
  scaling.saturated(kStart);
  EXPECT_EQ(scaling.allowed(), 5u);
  EXPECT_EQ(scaling.next_growth(), kStart + milliseconds(200));
  scaling.saturated(kStart + milliseconds(200));
  EXPECT_EQ(scaling.allowed(), 6u);
  scaling.saturated(kStart + minutes(1));
  EXPECT_EQ(scaling.allowed(), 305u);
  scaling.saturated(kStart + minutes(10));
  EXPECT_EQ(scaling.allowed(), 1250u);
  EXPECT_EQ(scaling.next_growth(), std::nullopt);
}

TEST(QueueScaling, TimeInWhichAPlaceWasFreeDoesNotCount) {
  QueueScaling scaling;
  scaling.follow({});
  scaling.saturated(kStart);
  scaling.relaxed();
  scaling.saturated(kStart + minutes(1));
  EXPECT_EQ(scaling.allowed(), 5u);
}

TEST(QueueScaling, FallsBackWhenThereIsNothingToDo) {
  QueueScaling scaling;
  scaling.follow({});
  scaling.saturated(kStart);
  scaling.saturated(kStart + minutes(1));
  scaling.at_rest();
  EXPECT_EQ(scaling.allowed(), 5u);
}

TEST(QueueScaling, MaximumConcurrencyBoundsIt) {
  QueueScaling scaling;
  scaling.follow({.concurrency_max = 2});
  EXPECT_EQ(scaling.allowed(), 2u);
  scaling.follow({.concurrency_max = 8});
  EXPECT_EQ(scaling.allowed(), 5u);
  scaling.saturated(kStart);
  scaling.saturated(kStart + minutes(1));
  EXPECT_EQ(scaling.allowed(), 8u);
  scaling.follow({.concurrency_max = 3});
  EXPECT_EQ(scaling.allowed(), 3u);
}

TEST(QueueScaling, ProvisionedPollersCarryTenBatchesEach) {
  QueueScaling scaling;
  scaling.follow({.pollers_min = 3, .pollers_max = 50});
  EXPECT_EQ(scaling.allowed(), 30u);
  scaling.saturated(kStart);
  scaling.saturated(kStart + milliseconds(600));
  EXPECT_EQ(scaling.allowed(), 40u);
  scaling.saturated(kStart + minutes(2));
  EXPECT_EQ(scaling.allowed(), 500u);
  scaling.follow({.pollers_max = 1'000});
  scaling.at_rest();
  EXPECT_EQ(scaling.allowed(), 20u);
}

}  // namespace
}  // namespace tidemill::engine
