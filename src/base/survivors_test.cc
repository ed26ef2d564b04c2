#include "base/survivors.h"

#include <gtest/gtest.h>

#include "base/future.h"
#include "base/sim_executor.h"

namespace tidemill::base {
namespace {

struct SurvivorsTest : ::testing::Test {
  Activity activity;
  SimExecutor executor{1, activity};
  Executor::Enter enter{executor};
  std::unique_ptr<Survivors> survivors = std::make_unique<Survivors>(activity);
  Future<int> arrives;
  int arrived = 0;
  int answered = 0;

  Task<int> work() {
    arrived = co_await arrives;
    co_return arrived + 1;
  }
  Task<void> ask() { answered = co_await survivors->outlive(work()); }
};

TEST_F(SurvivorsTest, WhoStaysGetsTheResult) {
  Scope callers;
  callers.spawn(ask());
  arrives.set(7);
  executor.run_until_idle();
  EXPECT_EQ(answered, 8);
  EXPECT_EQ(survivors->running(), 0u);
}

TEST_F(SurvivorsTest, WorkGoesOnWhenItsCallerLeaves) {
  Scope callers;
  callers.spawn(ask());
  callers.clear();
  EXPECT_EQ(survivors->running(), 1u);
  EXPECT_FALSE(activity.is_quiet());
  arrives.set(7);
  executor.run_until_idle();
  EXPECT_EQ(arrived, 7);
  EXPECT_EQ(answered, 0);
  EXPECT_EQ(survivors->running(), 0u);
  EXPECT_TRUE(activity.is_quiet());
}

TEST_F(SurvivorsTest, WhatIsUnderWayEndsWithThem) {
  Scope callers;
  callers.spawn(ask());
  callers.clear();
  survivors.reset();
  EXPECT_TRUE(activity.is_quiet());
  arrives.set(7);
  executor.run_until_idle();
  EXPECT_EQ(arrived, 0);
}

TEST_F(SurvivorsTest, BeyondTheBoundATaskEndsWithItsAwaiter) {
  Scope callers;
  std::vector<Future<int>> never(Survivors::kPerExecutorMax + 5);
  for (const auto& future : never) {
    callers.spawn([](Survivors& all, Future<int> waits) -> Task<void> {
      (void)co_await all.outlive([](Future<int> last) -> Task<int> { co_return co_await last; }(waits));
    }(*survivors, future));
  }
  callers.clear();
  EXPECT_EQ(survivors->running(), Survivors::kPerExecutorMax);
}

}  // namespace
}  // namespace tidemill::base
